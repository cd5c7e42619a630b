# Texts in 68 languages, and the same texts as others write them: with other capitals,
# white space, digits, apostrophes and forms of Unicode, and without the marks that writers
# may leave out. The fingerprints are the same, and simhash_changes shows what differs.

use utf8;
use Encode;
use Unicode::Normalize;
use SimhashTest;

seed_random();
my $node = start_node('languages', 'autovacuum = off');
$node->safe_psql('postgres', 'CREATE EXTENSION simhash');

# The beginning of the Universal Declaration of Human Rights, or words of it
my %words = (
	en => 'all human beings are born free and equal in dignity and rights they are endowed with reason and conscience',
	fr => 'tous les êtres humains naissent libres et égaux en dignité et en droits ils sont doués de raison cœur Noël garçon où',
	de => 'alle Menschen sind frei und gleich an Würde und Rechten geboren schön Straße über Größe Mädchen',
	es => 'todos los seres humanos nacen libres e iguales en dignidad y derechos razón conciencia español pingüino',
	it => 'tutti gli esseri umani nascono liberi ed eguali in dignità e diritti perché città più così',
	pt => 'todos os seres humanos nascem livres e iguais em dignidade e em direitos razão consciência coração você',
	ca => 'tots els éssers humans neixen lliures i iguals en dignitat raó consciència veritat això',
	nl => 'alle mensen worden vrij en gelijk in waardigheid en rechten geboren één ideeën',
	sv => 'alla människor är födda fria och lika i värde och rättigheter också år',
	da => 'alle mennesker er født frie og lige i værdighed og rettigheder fornuft på ærlig',
	nb => 'alle mennesker er født frie og med samme menneskeverd fornuft bør også være',
	fi => 'kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan järki omatunto ääni',
	is => 'hver maður er borinn frjáls og jafn öðrum að virðingu og réttindum sómi',
	pl => 'wszyscy ludzie rodzą się wolni i równi pod względem swej godności źródło żółty łódź',
	cs => 'všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv příliš žluťoučký kůň',
	sk => 'všetci ľudia sa rodia slobodní a sebe rovní čo sa týka ich dôstojnosti',
	sl => 'vsi ljudje se rodijo svobodni in imajo enako dostojanstvo čas žena šola',
	hr => 'sva ljudska bića rađaju se slobodna i jednaka u dostojanstvu đak čovjek žena',
	hu => 'minden emberi lény szabadon születik és egyenlő méltósága és joga van tűz őz',
	ro => 'toate ființele umane se nasc libere și egale în demnitate și în drepturi țară până',
	lt => 'visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis ąžuolas šuo ūkis',
	lv => 'visi cilvēki piedzimst brīvi un vienlīdzīgi savā pašcieņā ģimene ķēde ļoti',
	et => 'kõik inimesed sünnivad vabadena ja võrdsetena oma väärikuselt õun öö',
	tr => 'bütün insanlar hür haysiyet ve haklar bakımından eşit doğarlar kapalı kapı açıldı ışık istanbul',
	az => 'bütün insanlar ləyaqət və hüquqlarına görə azad və bərabər doğulurlar qızıl işıq',
	vi => 'tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền',
	uz => 'barcha odamlar erkin qadr qimmat va huquqlarda teng bo\'lib tug\'iladilar O\'zbekiston ma\'lumot',
	haw => 'hānau kū\'oko\'a nā kānaka apau loa kaulike ka hanohano',
	el => 'όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα μαϊμού',
	ru => 'все люди рождаются свободными и равными в своём достоинстве и правах ещё мой твой ёлка',
	uk => 'всі люди народжуються вільними і рівними у своїй гідності та правах її є подвір\'я',
	bg => 'всички хора се раждат свободни и равни по достойнство и права й',
	sr => 'сва људска бића рађају се слободна и једнака у достојанству и правима',
	hy => 'բոլոր մարդիկ ծնվում են ազատ ու հավասար իրենց արժանապատվությամբ ու իրավունքներով',
	ka => 'ყველა ადამიანი იბადება თავისუფალი და თანასწორი თავისი ღირსებითა და უფლებებით',
	ar => 'يولد جميع الناس أحرارا متساوين في الكرامة والحقوق وقد وهبوا عقلا وضميرا المدرسة على كتاب آخر إلى',
	fa => 'تمام افراد بشر آزاد به دنیا می آیند و از لحاظ حیثیت و حقوق با هم برابرند کتاب یک',
	ur => 'تمام انسان آزاد اور حقوق و عزت کے اعتبار سے برابر پیدا ہوئے ہیں',
	ckb => 'هەموو مرۆڤەکان بە ئازادی و یەکسانی لە کەرامەت و مافدا لەدایک دەبن',
	he => 'כל בני אדם נולדו בני חורין ושווים בערכם ובזכויותיהם בראשית ברא',
	hi => 'सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता प्राप्त है ज़मीन सड़क फ़सल पढ़ना क़लम ऑफ़िस',
	mr => 'सर्व मानवी व्यक्ती जन्मतः स्वतंत्र आहेत वाऱ्यावर दुसऱ्या पाहुण्याने ॲड बॅंक तऱ्हा',
	ne => 'सबै व्यक्तिहरू जन्मजात स्वतन्त्र हुन् ती सबैको समान अधिकार र महत्व छ बढ़ी पढ़ाइ',
	bn => 'সমস্ত মানুষ স্বাধীনভাবে সমান মর্যাদা এবং অধিকার নিয়ে জন্মগ্রহণ করে উৎসব হঠাৎ বাড়ি আষাঢ় আমার নদী',
	as => 'জন্মগতভাৱে সকলো মানুহ মৰ্যদা আৰু অধিকাৰত সমান আহ হয় উৎপাদন',
	pa => 'ਸਾਰਾ ਮਨੁੱਖੀ ਪਰਿਵਾਰ ਆਪਣੀ ਮਹਿਮਾ ਸ਼ਾਨ ਅਤੇ ਹੱਕਾਂ ਦੇ ਪੱਖੋਂ ਜਨਮ ਤੋਂ ਹੀ ਆਜ਼ਾਦ ਹੈ ਸਿੰਘ ਮੂੰਹ ਫ਼ਸਲ',
	gu => 'પ્રતિષ્ઠા અને અધિકારોની દૃષ્ટિએ સર્વ માનવો જન્મથી સ્વતંત્ર અને સમાન હોય છે આવો એક ઓરડો',
	or => 'ସମସ୍ତ ମନୁଷ୍ୟ ଜନ୍ମକାଳରୁ ସ୍ୱାଧୀନ ଆଜି ଘୋଡ଼ା ଓଡ଼ିଆ ଗଢ଼',
	ta => 'மனிதப் பிறவியினர் சகலரும் சுதந்திரமாகவே பிறக்கின்றனர் கௌரவம் மௌனம் ஸ்ரீ ஔவை',
	kn => 'ಎಲ್ಲಾ ಮಾನವರೂ ಸ್ವತಂತ್ರರಾಗಿಯೇ ಜನಿಸಿದ್ದಾರೆ ಜ಼ೂ ಫ಼ೋನ್',
	ml => 'മനുഷ്യരെല്ലാവരും തുല്യാവകാശങ്ങളോടും അന്തസ്സോടും അവൻ ഞാൻ എൻ്റെ നിൻ്റെ പാൽ കാൾ കാർ കൺമഷി സൗമ്യ ഗൗരവം',
	ha => 'su dai ƴan Adam ana haihuwarsu ne duka yantattu ɓarawo ɗaya ƙasa haƙƙi ɗan',
	tw => 'wɔawo adesamma nyinaa ahofadi mu ɛna wɔn nyinaa wɔ adwene ne anidie ɔkɔ ɛyɛ',
	ee => 'wodzi amegbetɔwo katã ablɔɖeviwoe eye wodzena bubu kple gomekpɔkpɔ ŋutsu ʋu ƒe ɣe',
	se => 'buot olbmot leat riegádan friddjan ja olmmošárvvu dáfus dohkkehit eŋgela mánná ŧ',
	be => 'усе людзі нараджаюцца свабоднымі і роўнымі ў сваёй годнасці і правах яны надзелены розумам быў воўк',
	kk => 'барлық адамдар тумысынан азат қадір қасиеті мен құқықтары тең ғалам өмір үлкен әке жиһаз',
	ky => 'бардык адамдар өз беделинде жана укуктарында эркин тең укуктуу болуп жаралат күн таңкы',
	tg => 'тамоми одамон озод ба дунё меоянд ва аз лиҳози манзилату ҳуқуқ бо ҳам баробаранд қатъӣ ҷаҳон ғафс кӯл',
	yi => 'יעדער מענטש װערט געבױרן פֿרײַ און גלײַך אין כּבֿוד און רעכט װי הױז צװײ',
	syc => 'ܟܠ ܒܪܢܫܐ ܒܪܝܠܗ ܚܐܪܐ ܘܒܪܒܪ ܓܘ ܐܝܩܪܐ ܘܙܕܩܐ',
	th => 'มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิต่างมีเหตุผลและมโนธรรมน้ำค้ำคำที่นี้',
	lo => 'ມະນຸດທຸກຄົນເກີດມາມີກຽດສັກສີສິດທິເສລີພາບແລະຄວາມສະເໝີພາບເທົ່າທຽມກັນນ້ຳຄຳແມ່ນ້ຳ',
	km => 'មនុស្សទាំងអស់កើតមកមានសេរីភាពនិងសមភាពក្នុងផ្នែកសេចក្ដីថ្លៃថ្នូរនិងសិទ្ធិ',
	my => 'လူတိုင်းသည်တူညီလွတ်လပ်သောဂုဏ်သိက္ခာဖြင့်လည်းကောင်း',
	ko => '모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다',
	zh => '人人生而自由在尊严和权利上一律平等',
	ja => 'すべての人間は生まれながらにして自由でありかつ尊厳と権利とについて平等である');

my $spaceless = qr/^(th|lo|km|my)$/;
my $ignores_space = qr/^(th|lo|km|my|ko)$/;
my $latin = qr/^(fr|de|es|it|pt|ca|nl|sv|da|nb|fi|is|pl|cs|sk|sl|hr|hu|ro|lt|lv|et|tr|az|vi|haw|el|ha|tw|ee|se)$/;
my $cyrillic = qr/^(be|kk|ky|tg)$/;
my $indian = qr/^(hi|mr|ne|bn|as|pa|gu|or|kn)$/;
my $arabic = qr/^(ar|fa|ur|ckb)$/;

sub any { return $_[ int rand @_ ]; }

# A text of words of a language, with numbers
sub text
{
	my ($lang) = @_;
	my @words = $lang =~ $spaceless ? $words{$lang} =~ /(\X{3,7}(?![\x{E32}\x{EB2}]))/g : split / /, $words{$lang};
	my $space = $lang =~ $spaceless ? '' : ' ';
	return join $space, map { rand() < 0.15 ? ($space ? '' : ' ') . int(rand 2000) . ($space ? '' : ' ') : any(@words) } 1 .. 30;
}

# What a writer may leave out
sub without_marks
{
	my ($text) = @_;
	$text = NFD($text) =~ s/(?<=[\p{Latin}\p{Greek}\x{300}-\x{33F}])[\x{300}-\x{344}\x{346}-\x{362}]//gr;
	$text =~ tr/đĐøØłŁıħŧðəɓɗƙƴɛɔŋɖƒɣʋƏ/dDoOlLihtdebdkyeondfgvE/;
	return $text =~ s/œ/oe/gr =~ s/æ/ae/gr =~ s/þ/th/gr;
}

# What is written with the letters of Russian
sub on_russian_keyboard
{
	return $_[0] =~ s/ў/у/gr =~ s/ӣ/и/gr =~ s/ӯ/у/gr =~ tr/қғңөүұәһҳҷ/кгноууаххч/r;
}

# The text with a mark behind some letters
sub with_marks
{
	my ($text, $letters, @marks) = @_;
	return $text =~ s/($letters)/$1 . (rand() < 0.4 ? any(@marks) : '')/ger;
}

# Final consonants and others as a letter, a virama and a joiner
sub with_joiners
{
	my %before = ('ൺ' => 'ണ', 'ൻ' => 'ന', 'ർ' => 'ര', 'ൽ' => 'ല', 'ൾ' => 'ള');
	my ($virama, $joiner) = ("\x{D4D}", "\x{200D}");
	return $_[0] =~ s/ൻ\x{D4D}റ/any("ന${virama}റ", "ന$virama${joiner}റ", 'ൻറ')/ger =~ s/([ൺൻർൽൾ])/$before{$1} . $virama . $joiner/ger
	  =~ s/ৎ/ত\x{9CD}\x{200D}/gr =~ s/ऱ\x{94D}/र\x{94D}\x{200D}/gr =~ s/ॲ/अ\x{200D}\x{945}/gr;
}

# Letters that look like two
sub with_two_letters
{
	return $_[0] =~ s/আ/অ\x{9BE}/gr =~ s/આ/અ\x{ABE}/gr =~ s/એ/અ\x{AC7}/gr =~ s/ઓ/અ\x{ACB}/gr =~ s/ଆ/ଅ\x{B3E}/gr =~ s/\x{BCC}/\x{BC6}ள/gr
	  =~ s/ஔ/ஒள/gr =~ s/ஸ(?=\x{BCD}ரீ)/ஶ/gr =~ s/แ/เเ/gr =~ s/ແ/ເເ/gr;
}

# Vowels and tones of Thai and Lao, and the vowel am in its three forms
sub in_another_order
{
	my ($text) = @_;
	$text =~ s/([\x{E48}-\x{E4B}]?)\x{E33}/any("$1\x{E33}", "\x{E33}$1", "\x{E4D}$1\x{E32}", "$1\x{E4D}\x{E32}", "\x{E4D}\x{E32}$1")/ge;
	$text =~ s/([\x{EC8}-\x{ECB}]?)\x{EB3}/any("$1\x{EB3}", "\x{EB3}$1", "\x{ECD}$1\x{EB2}", "$1\x{ECD}\x{EB2}", "\x{ECD}\x{EB2}$1")/ge;
	return $text =~ s/([\x{E31}\x{E34}-\x{E39}])([\x{E48}-\x{E4B}])/any("$1$2", "$2$1")/ger =~ s/([\x{EB1}\x{EB4}-\x{EB9}\x{EBB}])([\x{EC8}-\x{ECB}])/any("$1$2", "$2$1")/ger;
}

sub digits
{
	my ($text) = @_;
	my $zero = any(0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0x1040, 0x17E0, 0xFF10, 0x1D7CE);
	return $text =~ s/([0-9])/chr($zero + $1)/ger;
}

# kind => [ languages, the variant, the kind of a change that simhash_changes shows, or '' ]
my %variants = (
	'capitals' => [ qr/^(?!tr|az|de)/, sub { uc $_[0] }, '' ],
	'Turkish capitals' => [ qr/^(tr|az)$/, sub { uc($_[0] =~ tr/iı/İI/r) }, 'form' ],
	'white space' => [ qr/^(?!th|lo|km|my)/, sub { $_[0] =~ s/ /any("\n", '  ', "\t ", "\x{A0}", "\r\n")/ger }, '' ],
	'white space in words' => [ $ignores_space, sub { $_[0] =~ s/(?:(?<=\p{L}\p{M})|(?<=\p{L}))(?=\p{L})(?![\x{E33}\x{EB3}])/rand() < 0.2 ? any(' ', "\n", '          ', "\x{2003}") : ''/ger }, '' ],
	'punctuation' => [ qr/./, sub { $_[0] =~ s/(?<=\p{L}) (?=\p{L})/any(', ', '. ', ': ', ' "', ' ')/ger }, 'form punctuation' ],
	'punctuation in words' => [ $ignores_space, sub { $_[0] =~ s/(?:(?<=\p{L}\p{M})|(?<=\p{L}))(?=\p{L})(?![\x{E33}\x{EB3}])/rand() < 0.2 ? any(',', '. ', ': ', "\x{3001}", ', "') : ''/ger }, 'form punctuation' ],
	'no spaces' => [ qr/^ko$/, sub { $_[0] =~ s/(?<=\p{Hangul}) +(?=\p{Hangul})//gr }, '' ],
	'line ends of Chinese and Japanese' => [ qr/^(zh|ja)$/, sub { $_[0] =~ s/(?<=\p{L})(?=\p{L})/rand() < 0.2 ? "\n" : ''/ger }, '' ],
	'digits' => [ qr/./, \&digits, 'form' ],
	'apostrophes' => [ qr/^(uz|haw|uk)$/, sub { $_[0] =~ s/'/any(map { chr } 0x2018, 0x2019, 0x2B9 .. 0x2BF, 0x2C8, 0x2EE, 0xA78C, 0x7F4, 0x7F5, 0xB4, 0xFF07)/ger }, 'punctuation' ],
	'decomposed' => [ qr/./, sub { NFD($_[0]) }, 'form' ],
	'compatible' => [ qr/./, sub { NFKD($_[0]) }, 'form' ],
	'without marks' => [ $latin, \&without_marks, 'form' ],
	'capitals without marks' => [ qr/^(fr|el|es|pt)$/, sub { uc without_marks($_[0]) }, 'form' ],
	'stress' => [ qr/^(ru|uk|bg)$/, sub { with_marks($_[0], '[аеиоуыэюяєі]', "\x{301}") }, 'form' ],
	'without dots' => [ qr/^ru$/, sub { $_[0] =~ tr/ёЁ/еЕ/r }, 'form' ],
	'stretched' => [ $arabic, sub { with_marks($_[0], '[بتسمن]', "\x{640}", "\x{640}\x{640}") }, 'form' ],
	'vowels' => [ $arabic, sub { with_marks($_[0], '[\x{620}-\x{64A}]', map { chr } 0x64B .. 0x652, 0x670) }, 'form' ],
	'without hamza' => [ qr/^ar$/, sub { $_[0] =~ tr/أإآ/ااا/r }, 'form' ],
	'keyboards' => [ $arabic, sub { my $t = $_[0]; $t =~ s/[\x{649}\x{64A}\x{6CC}]/any("\x{649}", "\x{64A}", "\x{6CC}")/ge; $t =~ s/[\x{643}\x{6A9}]/any("\x{643}", "\x{6A9}")/ge; $t =~ tr/\x{629}/\x{647}/; $t }, 'form' ],
	'letters of Russian' => [ $cyrillic, sub { on_russian_keyboard($_[0]) }, 'form' ],
	'no nukta' => [ $indian, sub { NFD($_[0]) =~ s/[\x{93C}\x{9BC}\x{A3C}\x{B3C}\x{CBC}]//gr }, 'form' ],
	'joiners' => [ qr/^(bn|as|mr|ml)$/, \&with_joiners, 'form' ],
	'no joiners' => [ qr/^(bn|as|mr|ml)$/, sub { with_joiners($_[0]) =~ s/\x{200D}//gr }, 'form' ],
	'two letters' => [ qr/^(bn|as|gu|or|ta|th|lo)$/, \&with_two_letters, 'form' ],
	'au' => [ qr/^ml$/, sub { $_[0] =~ s/\x{D57}/any("\x{D4C}", "\x{D46}\x{D57}", "\x{D57}")/ger }, 'form' ],
	'nasal signs' => [ qr/^pa$/, sub { $_[0] =~ tr/\x{A70}/\x{A02}/r }, 'form' ],
	'order of marks' => [ qr/^(th|lo)$/, \&in_another_order, 'form' ],
	'doubled marks' => [ qr/^(hi|bn|th|lo|my|km)$/, sub { $_[0] =~ s/([\x{94D}\x{9CD}\x{E38}\x{E39}\x{E48}-\x{E4B}\x{EC8}-\x{ECB}\x{1037}\x{1039}\x{17D2}])/$1 . (rand() < 0.4 ? $1 : '')/ger }, 'form' ],
	'ligatures' => [ qr/^yi$/, sub { $_[0] =~ s/װ/וו/gr =~ s/ױ/וי/gr =~ s/ײ/יי/gr }, 'form' ],
	'Syriac points' => [ qr/^syc$/, sub { with_marks($_[0], '[\x{710}-\x{72C}]', map { chr } 0x730 .. 0x74A) }, 'form' ],
	'invisible' => [ qr/./, sub { with_marks($_[0], '\w(?=\w)', map { chr } 0xFFF9 .. 0xFFFC, 0xAD, 0x200B, 0x2060, 0xFEFF) }, 'form' ],
	'keycaps' => [ qr/./, sub { $_[0] =~ s/([0-9])/$1 . any('', "\x{20E3}", "\x{FE0F}\x{20E3}", "\x{20DD}")/ger }, 'form' ],
	'circled digits' => [ qr/./, sub { $_[0] =~ s/([1-9])/chr(any(0x2460, 0x2776, 0x2780, 0x278A, 0x24F5) - 1 + $1)/ger }, 'form' ],
	'blank of Braille' => [ qr/./, sub { $_[0] =~ s/ /any(' ', "\x{2800}")/ger }, '' ],
	'points' => [ qr/^he$/, sub { with_marks($_[0], '[א-ת]', map { chr } 0x5B0 .. 0x5BC, 0x5C1, 0x591) }, 'form' ]);

my @rows;
for my $lang (sort keys %words)
{
	for my $round (1 .. 20)
	{
		my $text = text($lang);
		for my $kind (sort keys %variants)
		{
			my ($languages, $make) = @{ $variants{$kind} };
			push @rows, join "\t", map { s/\\/\\\\/gr =~ s/\n/\\n/gr =~ s/\r/\\r/gr =~ s/\t/\\t/gr } $lang, $kind, $text, $make->($text)
			  if $lang =~ $languages;
		}
	}
}
my $file = $node->basedir . '/texts';
open my $handle, '>:utf8', $file or die $!;
print $handle "$_\n" for @rows;
close $handle;
$node->safe_psql('postgres', "CREATE TABLE texts (lang text, kind text, a text, b text)");
$node->safe_psql('postgres', "\\copy texts FROM '$file'");

my $n = $node->safe_psql('postgres', 'SELECT count(*) FROM texts WHERE a <> b');
cmp_ok($n, '>', 3000, "$n texts are written otherwise");
for my $function ('minhash_bits(%s)', 'simhash(%s)', "minhash_bits(%s, 128, 'words', n => 3)", "minhash_bits(%s, 256, 'characters', n => 2)")
{
	my ($a, $b) = map { sprintf $function, $_ } 'a', 'b';
	is($node->safe_psql('postgres', "SELECT lang, kind, count(*), min(a), min(b) FROM texts WHERE $a IS DISTINCT FROM $b GROUP BY 1, 2 ORDER BY 1, 2"),
		'', "$function: every one of $n has the same fingerprint");
}
is($node->safe_psql('postgres', 'SELECT lang, kind FROM texts WHERE simhash_resemblance(a, b) < 1 OR simhash_containment(a, b) < 1 GROUP BY 1, 2'),
	'', 'and the same features and passages');

# What simhash_changes shows: a spelling is a difference, white space and case are none. The decision sees none
my %seen = map { $_ => $variants{$_}[2] } keys %variants;
my $wrong = '';
for my $kind (sort keys %seen)
{
	my $shown = $node->safe_psql('postgres', "SELECT coalesce(string_agg(DISTINCT c.kind::text, ' '), '') FROM texts, simhash_changes(a, b) c WHERE texts.kind = '$kind'");
	$wrong .= "$kind: $shown\n" if $shown ne $seen{$kind};
}
is($wrong, '', 'simhash_changes shows spellings as forms, and copies as copies');
is($node->safe_psql('postgres', 'SELECT lang, kind FROM texts WHERE simhash_first_change(a, b) > 0 GROUP BY 1, 2'),
	'', 'no first change by any spelling');

# Not folded: what makes another word
for my $pair (
	[ 'мой', 'мои' ], [ 'їх', 'іх' ], [ 'лис', 'ліс' ], [ 'хан', 'хай' ], [ 'かき', 'がき' ], [ '한', '하' ],
	[ 'कि', 'की' ], [ 'नल', 'नाल' ], [ 'हस', 'हंस' ], [ 'সত', 'সৎ' ], [ "അത\x{D41}\x{D4D}", "അത\x{D4D}" ], [ 'കെട്ട്', 'കൗട്ട്' ],
	[ 'ไม', 'ไม่' ], [ 'ມາ', 'ມຳ' ], [ 'ကံ့', 'ကံ' ], [ 'ሰረቀ', 'ሠረቀ' ])
{
	is($node->safe_psql('postgres', encode_utf8("SELECT minhash_bits('$pair->[0]') = minhash_bits('$pair->[1]')")), 'f', encode_utf8("$pair->[0] is not $pair->[1]"));
}

# Without folding, spellings differ; digits, apostrophes and white space are the same
is($node->safe_psql('postgres', "SELECT string_agg(DISTINCT kind, ', ' ORDER BY kind) FROM texts WHERE minhash_bits(a, fold => false) = minhash_bits(b, fold => false) AND a <> b AND kind IN ('digits', 'apostrophes', 'white space in words', 'without marks', 'vowels', 'stretched')"),
	'apostrophes, digits, white space in words', 'fold => false');

# HTML with character references has the text of HTML with the characters.
$node->safe_psql('postgres', slurp_file('examples/without_tags.sql'));
my @pages;
for my $lang (qw(fr de cs el vi ru ja))
{
	for my $round (1 .. 20)
	{
		my $text = text($lang);
		my $html = join ' ', map { "<i>$_</i>" } split / /, $text;
		push @pages, "$lang\t$text\t" . $html =~ s/([^\x00-\x7F])/rand() < 0.5 ? sprintf('&#%d;', ord $1) : sprintf('&#x%x;', ord $1)/ger;
	}
}
open $handle, '>:utf8', $file or die $!;
print $handle "$_\n" for @pages;
close $handle;
$node->safe_psql('postgres', 'CREATE TABLE pages (lang text, a text, html text)');
$node->safe_psql('postgres', "\\copy pages FROM '$file'");
is($node->safe_psql('postgres', 'SELECT lang, a, html FROM pages WHERE minhash_bits(a) IS DISTINCT FROM minhash_bits(without_tags(html)) LIMIT 1'), '', 'pages with references');

# The regular expressions of doc/kinds-of-texts.md
for my $recipe (
	[ 'posts', q{regexp_replace(body, 'https?://\S+|RT @\w+|[#@]', ' ', 'g')}, 'RT @some: The ferry leaves at noon https://a.example/x #harbour', 'The ferry leaves at noon, harbour' ],
	[ 'subtitles', q{regexp_replace(body, '(\d+\r?\n)?[\d:,.]+ --> [\d:,.]+|\[?\d+:\d\d(:\d\d)?\]?', ' ', 'g')}, "1\r\n00:00:01,000 --> 00:00:04,074\r\nThe ferry leaves\n\n2\n00:00:05,000 --> 00:00:06,000\n[00:12] at noon", 'The ferry leaves at noon' ],
	[ 'cut words', q{regexp_replace(body, '(\w)[-‐]\r?\n\s*', '\1', 'g')}, "The fer-\n  ry leaves at noon", 'The ferry leaves at noon' ])
{
	my ($name, $sql, $a, $b) = @$recipe;
	my ($arguments) = $sql =~ /body, (.*)/;
	like(decode_utf8(slurp_file('doc/kinds-of-texts.md')), qr/\Q$arguments\E/, "$name: the page has the expression");
	is($node->safe_psql('postgres', encode_utf8("SELECT minhash_bits($sql) = minhash_bits(other) FROM (VALUES (\$\$$a\$\$, \$\$$b\$\$)) v(body, other)")), 't', $name);
}

# The page of the sources has the generator's list, where its data are.
if (-e '/usr/share/unicode/Scripts.txt' && slurp_file('/usr/share/unicode/Scripts.txt') =~ /^# Scripts-15\.0\.0\.txt/)
{
	my ($table) = slurp_file('src/core/text/unicode/README.md') =~ /<!-- spellings -->\n(.*?)<!-- \/spellings -->/s;
	is($table, `perl src/core/text/unicode/generate_unicode.pl /usr/share/unicode --list`, 'the table of src/core/text/unicode/README.md');
}

done_testing();
