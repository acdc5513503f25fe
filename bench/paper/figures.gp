# gnuplot -e "folder='DIR'" figures.gp: draws the figures of the CSV in the folder, figure-01.svg to figure-14.svg, odd
# numbers of the naive kernel, even ones of the three blocked kernels side by side.
set datafile separator ','
set datafile missing ''
set key top left samplen 2 spacing 0.9 font ',10'
set grid lw 0.5 lc rgb "#dddddd"
set tics nomirror
set border 3
unset mytics
set xrange [0:*]
naive = 'naive'
blocked = 'blocked16 blocked32 blocked64'
name(family, kernel) = folder . '/' . family . '-' . kernel . '.csv'
columns(file) = int(system(sprintf("head -n 1 '%s' | tr -cd , | wc -c", file))) + 1
array shades[8] = ['#08306b', '#2171b5', '#6baed6', '#41ab5d', '#a1d99b', '#fe9929', '#d94801', '#7f2704']
array strong[5] = ['#000000', '#999999', '#6baed6', '#d94801', '#2ca02c']

set xlabel 'N'
do for [many=0:1] {
  kernels = many ? blocked : naive

  number = 1 + many; family = 'tseq'
  set ylabel 'seconds on one core'
  set output sprintf('%s/figure-%02d.svg', folder, number)
  set terminal svg size (many ? 1120 : 560),360 font 'sans-serif,12' background '#ffffff'
  set multiplot layout 1,words(kernels)
  do for [kernel in kernels] {
    set title kernel
    plot name(family, kernel) using 1:2 with points pt 7 ps 0.5 lc rgb strong[1] title 'measured', \
      '' using 1:3 with lines lw 1.5 lc rgb strong[4] title 'polynomial of degree 3'
  }
  unset multiplot

  number = 3 + many; family = 'alpha'
  set ylabel 'alpha of the point'
  set key bottom right
  set yrange [-1:2]
  set output sprintf('%s/figure-%02d.svg', folder, number)
  set multiplot layout 1,words(kernels)
  do for [kernel in kernels] {
    set title kernel
    plot for [i=2:columns(name(family, kernel))] name(family, kernel) using 1:i with lines lc rgb shades[i-1] \
      title columnheader(i)
  }
  unset multiplot
  set key inside top left vertical
  set yrange [*:*]

  number = 5 + many; family = 'aggregations'
  set ylabel 'seconds on the most cores'
  set output sprintf('%s/figure-%02d.svg', folder, number)
  set multiplot layout 1,words(kernels)
  do for [kernel in kernels] {
    set title kernel
    plot name(family, kernel) using 1:2 with points pt 7 ps 0.5 lc rgb strong[1] title 'measured', \
      for [i=3:5] '' using 1:i with lines lw 1.5 lc rgb strong[i-1] title columnheader(i)
  }
  unset multiplot

  do for [unit=0:1] {
    number = 7 + 2*unit + many; family = unit ? 'seconds' : 'percent'
    set ylabel 'misprediction, ' . (unit ? 'seconds' : 'percent')
    set key inside top right vertical
    set logscale y
    set yrange [(unit ? 1e-6 : 0.1):*]
    if (unit) { set format y '10^{%L}'; if (family eq 'seconds') { set key bottom right } }
    set output sprintf('%s/figure-%02d.svg', folder, number)
    set multiplot layout 1,words(kernels)
    do for [kernel in kernels] {
      set title kernel
        plot for [i=2:columns(name(family, kernel))] name(family, kernel) using 1:i with lines lc rgb shades[i-1] title columnheader(i)
    }
    unset multiplot
    unset logscale y
    set format y '%h'
    set yrange [*:*]
  }

  do for [unit=0:1] {
    number = 11 + 2*unit + many; family = unit ? 'time-seconds' : 'time-percent'
    set xlabel 'observations'
    set ylabel 'misprediction, ' . (unit ? 'seconds' : 'percent')
    set key tmargin center horizontal maxcols 2
    set logscale y
    if (unit) { set format y '10^{%L}'; if (family eq 'seconds') { set key bottom right } }
    set output sprintf('%s/figure-%02d.svg', folder, number)
    set multiplot layout 1,words(kernels)
    do for [kernel in kernels] {
      set title kernel
      plot for [i=2:5] name(family, kernel) using 1:i with lines lw 1.5 lc rgb strong[i] title columnheader(i)
    }
    unset multiplot
    unset logscale y
    set format y '%h'
    set yrange [*:*]
    set xlabel 'N'
  }
  set key inside top left vertical
}
set output
