# SPDX-License-Identifier: GPL-2.0-only
"""What the tests of plots share: six points with results written by hand, and figures of them."""

import json

from study_bench import Bench

from studies import plot_drawing
from studies.plot_data import PlotData
from studies.points import combinations
from studies.store import Store
from studies.study import read_study

OPEN = {"type": "object"}
RATES = [1, 2, 4]
SEEDS = [1, 2]
SWEEP = "sweep: {rate: [1 GB/s, 2 GB/s, 4 GB/s], seed: [1, 2]}\n"

# Of 10 us each. There are two links from leaf0 to spine0, of which one is idle at the end.
SERIES = """time_ns,from,to,queue_bytes,utilization,paused_ns,ecn_marks
10000,npu0,leaf0,0,0.5,0,0
10000,leaf0,spine0,1000,1,2000,1
10000,leaf0,spine0,3000,1,0,2
20000,npu0,leaf0,0,0.25,0,0
20000,npu1,leaf0,0,0.75,0,0
30000,npu0,leaf0,0,1,10000,0
40000,leaf0,spine0,2000,0.5,0,4
"""
LINKS = """from,to,bandwidth_gbps,bytes,max_queue_bytes,utilization
npu0,leaf0,100,{0},4000,0.5
npu1,leaf0,100,{1},16000,0.25
leaf0,spine0,40,0,0,0
leaf0,spine0,40,0,0,0
"""
FLOWS = """src,dst,size_bytes,end_ns,fct_ns
0,1,1000,{0},{0}
2,1,1000,{1},{1}
"""
COLLECTIVES = """type,start_ns,duration_ns,algbw_GBps,busbw_GBps,lower_bound_ns
all-reduce,0,{0},{1},{2},{3}
"""


class HandMade(Bench):
    """A point's finish is 12 us * seed / rate: a quarter of it compute, half exposed.

    Its one collective takes all of it, and could do with a third; its bus bandwidth is 3/2 of its
    algorithm bandwidth, 4 GB/s * rate / seed.

    Until then npu0's link carries half of what it could, 12 500 bytes a us, npu1's a quarter. The
    flows take rate and 3 rate us.
    """

    def data(self, plot, varied=SWEEP):
        """What the results say about a plot."""
        self.declared = read_study(self.study(f"{varied}plots: [{plot}]\n"), OPEN)
        self.points = list(combinations(self.declared))
        self.store = Store(self.path / "out")
        for number, point in enumerate(self.points):
            point.id = f"point{number}"
            self.make_result(point)
        self.kept = self.store.load_all(self.points)
        return PlotData(self.declared.plots[0], self.points, self.kept, self.store)

    def draw(self, plot, varied=SWEEP):
        """The axes of a plot."""
        self.figure = plot_drawing.draw(self.data(plot, varied))
        return self.figure.axes[0]

    def make_result(self, point):
        seed, rate = int(point.coordinates["seed"]), float(point.coordinates["rate"].split()[0])
        finish = 12000.0 * seed / rate
        folder = f"out/points/{point.id}"
        summary = {"status": "done", "finish_time_ns": finish, "ranks": 2 * seed, "packets": 0}
        parts = {"compute_ns": 0.25, "exposed_communication_ns": 0.5, "idle_ns": 0.25}
        summary |= {name: share * finish for name, share in parts.items()}
        self.write(f"{folder}/summary.json", json.dumps(summary))
        self.write(f"{folder}/flows.csv", FLOWS.format(1000 * rate, 3000 * rate))
        algbw = 4 * rate / seed
        row = COLLECTIVES.format(finish, algbw, 1.5 * algbw, finish / 3)
        self.write(f"{folder}/collectives.csv", row)
        self.write(f"{folder}/links.csv", LINKS.format(finish * 12.5 / 2, finish * 12.5 / 4))
        self.write(f"{folder}/series.csv", SERIES)
        self.write(f"{folder}/config.yaml", "output: {series: 10 us}\n")

    def labels(self, axes):
        return axes.get_xlabel(), axes.get_ylabel()

    def assert_curve(self, line, xs, ys):
        self.assertEqual(list(line.get_xdata()), xs)
        self.assertEqual(len(line.get_ydata()), len(ys))
        for found, expected in zip(line.get_ydata(), ys):
            self.assertAlmostEqual(found, expected)

    def legend(self, axes):
        return [text.get_text() for text in axes.get_legend().get_texts()]
