#!/usr/bin/perl
# Print the texts of final_values.h, one in a line, always the same: sentences, special cases, and
# random words of the blocks of scripts.

use strict;
use warnings;
no warnings 'nonchar';
use utf8;
binmode STDOUT, ':utf8';

my $state = 42;

sub below
{
	$state = ($state * 1103515245 + 12345) % 2147483648;
	return int($state / 65536) % shift;
}

my @texts = split /\n/, <<'END';
The ferry to the islands leaves from the south pier, because the storm has damaged the north pier.
THE FERRY TO THE ISLANDS LEAVES FROM THE SOUTH PIER, BECAUSE THE STORM HAS DAMAGED THE NORTH PIER.
Invoice 1041: please pay 85.50 EUR within 14 days, or -5 % by 2026-11-30 10:30.
Die Fähre fährt heute vom südlichen Kai, weil der Sturm die Straße beschädigt hat.
Le bac part à midi du quai sud, où l’œuvre de la tempête est moins forte.
Nos termos do art. 5º da lei nº 10, 20 ºC e 1.ª classe
El 5° día, 20 °C, a 1/2 milla del puerto, ½ hora, 1½ kg
the sea¹ was calm² and the boats³ were few [1] x² m²/s 10⁶ CO₂ H₂O ²³⁸U
C++ and C# and F#, BasicVSR++; a+b, i++, #tag, tag#, +49 30, A+++ C++11 Ｃ＋＋
C++语言和C#语言，a#é g++
Довiдник цiн i кiлькостi змiнено: iмпорт виконує кожнi двi години
Довідник цін і кількості змінено: імпорт виконує кожні дві години
Ирыстон у хæххон бæстæ, хӕххон бӕстӕ
Чăваш Ен халăхĕ çулсерен çĕнĕ çула уявлать
MOCKBА, KAΛHMEPA, OKNA, USB-кабель, µm, αx, вода OKNA
ھەموو ھاوڕێیان هاتنە شار، ہے ھے بھی
ዓመተ ምሕረት ፲፱፻፺ ውል ቁጥር ፲፭
價錢〡〢〣元，壹佰贰拾叁元，第三十五号
எண் ௰ ஒப்பந்தம் ௱
二〇〇八年、二○○八年、二◯一○年、○八、人○
Chapter Ⅷ, ⅷ, VIII, ①②③, ⑴, ❷, 2️⃣, ⒈
항만청장은 지난밤 폭풍으로, 북쪽 부두가 손상되어 폐쇄했다고 밝혔다. 표는 미리 사야 한다!
항만청장은지난밤폭풍으로북쪽부두가 손상되어 폐쇄했다고밝혔다
เรือ, จะออก. จากท่าเรือ (ใต้) ในวันนี้ น้ำ นํ้า แม่ เเม่
ເຮືອ, ຈະອອກຈາກທ່າ. ນ້ຳ
កប៉ាល់ ចេញ។ ពីកំពង់ផែ, ខាងត្បូង
သင်္ဘောသည်၊ တောင်ဘက်ဆိပ်ကမ်းမှ။ ထွက်ခွာသည်
船从南码头出发，因为昨夜的风暴损坏了北码头。
船は南の桟橋から出ます。昨夜の嵐で北の桟橋が壊れたためです。ｶﾞｰﾄﾞ
Корабль уходит с южного причала, потому что шторм повредил северный. Всё ещё мой
Το πλοίο φεύγει από τη νότια αποβάθρα, ᾧ ᾴ Σίσυφος
تغادر السفينةُ من الرصيف الجنوبي اليوم ١٢٣ ۴۵۶ ـــ ﷺ
הספינה יוצאת מהרציף הדרומי, בְּרֵאשִׁית װאָס
जहाज आज दक्षिणी घाट से १२३ ज़मीन, জাহাজ আজ উৎসব, எண் கௌரவம்
it's it’s itʼs it´s Oʻzbekiston O'zbekiston
straße STRASSE ﬁnal ＦＵＬＬ　ｗｉｄｔｈ １２３ ｱｲｳ
ıİiI kapalı KAPALI łódź ɗaya það gecə ŋutsu ɔkɔ
I ❤️ PostgreSQL 🐘👩🏽‍💻 and 🎉 1,234.5 1.234,5 .5 5. 1,a
<p class="a">Tom &amp; Jerry</p> https://a.example/b?c=d#e
END

push @texts, '一' . '○' x 250 . ' C' . '+' x 70 . ' a' x 40, 'a' x 62 . ' C++ ' . 'b' x 63 . '# ' . 'i' x 64 . 'ж ' . 'i' x 65 . 'ж';

# words of blocks of scripts
my @blocks = map { [ map { hex } split /-/ ] } qw(0061-007A 0041-007A 00C0-024F 0250-02AF 0370-03FF 1F00-1FFF
  0400-052F 0531-0587 05D0-05EA 0591-05F4 0620-06FF 0700-074F 0780-07BF 07C0-07FF 0900-097F 0980-09FF 0A00-0A7F
  0A80-0AFF 0B00-0B7F 0B80-0BFF 0C00-0C7F 0C80-0CFF 0D00-0D7F 0D80-0DFF 0E01-0E5B 0E81-0EDF 0F00-0FBC
  1000-109F 10A0-10FF 1100-11FF 1200-139F 13A0-13FF 1401-167F 1780-17FF 1800-18AF 1E00-1EFF 2070-209F
  2150-218B 2460-24FF 2776-2793 3005-30FF 3105-312F 3131-318E 3200-33FF 3400-34FF 4E00-9FFF A000-A0FF A840-A877
  AC00-D7A3 F900-FAFF FB00-FDFF FE70-FEFC FF01-FFDC 10400-1044F 10A00-10A5F 11000-1107F 16800-168FF 1D400-1D7FF
  1E900-1E95F 20000-2A6DF 0800-085F 08A0-08FF 1900-19DF 1A00-1AAF 1B00-1BFF 1C00-1C7F 2800-28FF 2C00-2CFF 2D00-2D7F
  A500-A6FF A880-A8FF A900-A9FF AA00-AADF AB70-ABF9 10000-101FF 10280-103DF 104B0-1089F 10900-109FF 10A60-10BAF
  10C00-10CFF 10D00-10FFF 11080-113FF 11400-117FF 11800-11FFF 12000-1254F 13000-1345F 16A00-16B8F 16F00-16FE4
  1B000-1B2FF 1D2C0-1D37F 1E100-1E2FF 1E4D0-1E8DF 1EC70-1EEFF 1F100-1F1FF);
my @between = (' ', ' ', ' ', ', ', '. ', '', '-', '+', '#', "\x{301}", "\x{AD}", "\x{308}", ' 12 ', '¹', "\x{3000}", '。');

while (@texts < 500)
{
	my $text = '';
	for (1 .. 2 + below(8))
	{
		my $block = $blocks[ below(6) ? @texts % @blocks : below(scalar @blocks) ];
		$text .= chr($block->[0] + below($block->[1] - $block->[0] + 1)) for 1 .. 1 + below(5);
		$text .= $between[ below(scalar @between) ];
	}
	push @texts, $text;
}
print "$_\n" for @texts;
