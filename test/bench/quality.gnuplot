# Plots of doc/quality.md: gnuplot -e "data='FOLDER'; out='FOLDER'" quality.gnuplot
set terminal pngcairo size 1000,420 font 'sans,10' noenhanced
set grid lc rgb '#dddddd'
set key bottom right
blue = '#1f77b4'; orange = '#ff7f0e'; green = '#2ca02c'; red = '#d62728'
array colors[4] = [blue, orange, green, red]

# Recall by bound, simhash left and minhash right
set xrange [0:20]
set yrange [0:1.02]
set xlabel 'bound k'
set ylabel 'near-duplicates found'

array edits[4] = ['under 1 % changed', '1-5 %', '5-10 %', '10-25 %']
set output out.'/quality-edits.png'
set multiplot layout 1,2
do for [f = 0:1] {
	set title (f == 0 ? 'simhash' : 'minhash').': 20 words and more, by edit'
	plot for [i = 1:4] data.'/edits' using 1:(column(2 * i + f)) with linespoints pt 7 ps 0.5 lc rgb colors[i] title edits[i]
}
unset multiplot

# The same by length, with the share of other texts found (dashed)
array lengths[4] = ['under 20 words', 'under 100', 'under 500', 'longer']
set key center right
set output out.'/quality-lengths.png'
set multiplot layout 1,2
do for [f = 0:1] {
	set title (f == 0 ? 'simhash' : 'minhash').': by length; dashed: other texts found'
	plot for [i = 1:4] data.'/lengths' using 1:(column(4 * i - 2 + 2 * f)) with linespoints pt 7 ps 0.5 lc rgb colors[i] title lengths[i], \
		for [i = 1:4] data.'/lengths' using 1:(column(4 * i - 1 + 2 * f)) with lines dt 2 lc rgb colors[i] notitle
}
unset multiplot

# ROC
set terminal pngcairo size 800,520 font 'sans,10' noenhanced
set output out.'/quality-roc.png'
set title 'Recall and false positives, 20 words and more, a point for each bound'
set key bottom right
set logscale x
set xrange [0.0005:0.1]
set yrange [0.4:1.005]
set xtics ('none' 0.0005, '0.001' 0.001, '0.002' 0.002, '0.005' 0.005, '0.01' 0.01, '0.02' 0.02, '0.05' 0.05, '0.1' 0.1)
set xlabel 'share of other texts found'
plot for [i = 0:5] data.'/roc' index i using 1:2 with linespoints pt 7 ps 0.5 lw 1.5 title columnheader(1)
