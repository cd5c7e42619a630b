/*
 * Texts and their fingerprints, which are stored in people's tables: never change a
 * value here.
 */
{"letter", "a", UINT64_C(0xe6c632b61e964e1f)},
{"English",
	"The quick brown fox jumps over the lazy dog.",
	UINT64_C(0x80008287005a12d1)},
{"longer English",
	"When in the Course of human events, it becomes necessary for one people to "
	"dissolve the political bands which have connected them with another, and to "
	"assume among the powers of the earth, the separate and equal station to which "
	"the Laws of Nature and of Nature's God entitle them, a decent respect to the "
	"opinions of mankind requires that they should declare the causes which impel "
	"them to the separation.", UINT64_C(0x4727c9c35abbedaf)},
{"French",
	"Dès Noël où un zéphyr haï me vêt de glaçons würmiens",
	UINT64_C(0x782ad7660f6b1165)},
{"German",
	"Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich",
	UINT64_C(0x49fc79d6e0fb3c04)},
{"Russian",
	"Съешь же ещё этих мягких французских булок, да выпей чаю",
	UINT64_C(0xbdae20dfe2d843ff)},
{"Greek",
	"Τάχιστη αλώπηξ βαφής ψημένη γη, δρασκελίζει υπέρ νωθρού κυνός· ᾧ ὕδωρ",
	UINT64_C(0xdbca1547c082bfd5)},
{"Vietnamese",
	"Tất cả mọi người sinh ra đều được tự do",
	UINT64_C(0x14335605e5d72f39)},
{"Arabic",
	"يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق",
	UINT64_C(0xbddfc655a4cfc5ae)},
{"Hebrew",
	"כל בני אדם נולדו בני חורין ושווים בערכם",
	UINT64_C(0x2ce8bd4fd4842d30)},
{"Hindi",
	"सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता प्राप्त है",
	UINT64_C(0x787ef1b1ed204e5c)},
{"Chinese", "人人生而自由，在尊严和权利上一律平等。", UINT64_C(0x1518465bb4d14c0a)},
{"Chinese character", "人", UINT64_C(0x5c527b4991a35a17)},
{"Japanese", "すべての人間は、生まれながらにして自由であり、ガードは２０２３年。", UINT64_C(0xb571184dd2e41cb7)},
{"Korean",
	"모든 인간은 태어날 때부터 자유로우며 존엄과 권리에 있어 동등하다",
	UINT64_C(0x327207ee21c2343c)},
{"Thai",
	"มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน",
	UINT64_C(0x814296ad0f631b98)},
{"Khmer", "មនុស្សទាំងអស់កើតមកមានសេរីភាព", UINT64_C(0x55a3e63b90df9f08)},
{"emoji",
	"I ❤️ PostgreSQL 🐘👩🏽‍💻 and 1️⃣ more 🎉 thing",
	UINT64_C(0x6b03680966e2dea7)},
{"full-width", "ＦＵＬＬ　ｗｉｄｔｈ １２３", UINT64_C(0x648c9a93ff3c0af6)},
{"mixed",
	"PostgreSQL的ＳＱＬ、ภาษาไทย and ﬁnal naïve Ⅻ №5 ½",
	UINT64_C(0x8de577d0eda372ed)},
{"unassigned",
	"\xCD\xB8 \xF0\xB3\x8D\x90 x\xF2\x80\x80\x80y",
	UINT64_C(0x46e540e696328170)},
{"long word",
	"0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz"
	"0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz"
	"0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz"
	"0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz"
	"0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz",
	UINT64_C(0xc0f8ff2f5440e366)},
