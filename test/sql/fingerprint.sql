SELECT simhash('placeholder');
