# ActiveRecord: insert a text, find its near-duplicates, and search within 48 bits, in the table of doc/drivers.md.
# ActiveRecord is connected, and body is a string.
#
# In a migration, declare the column with
# `t.column :fp, 'bit(256) GENERATED ALWAYS AS (minhash_bits(body)) STORED'`.  The file schema.rb keeps neither the
# generated column nor the type simhash: set config.active_record.schema_format = :sql.  After create! the object has no
# fp until you call reload.

class Doc < ActiveRecord::Base; end
Doc.insert({ body: body })    # ON CONFLICT DO NOTHING
puts Doc.find_by('fp % minhash_bits(?)', body).id
distance = Doc.sanitize_sql(['fp <-> minhash_bits(?) AS distance', body])
Doc.where('fp <-> minhash_bits(?) <= ?', body, 48).select(:id, distance).each do |doc|
  puts "#{doc.id} #{doc.distance}"
end
