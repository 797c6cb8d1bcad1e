# SPDX-License-Identifier: Apache-2.0
"""The plot command."""

import re
import xml.dom.minidom

from tool import ToolTest


class Plot(ToolTest):
    def svg(self, *words, code=0):
        """The picture on standard output, checked to be XML."""
        done = self.run_tool("plot", *words, code=code)
        if code == 0:
            xml.dom.minidom.parseString(done.stdout)
        return done.stdout if code == 0 else done.stderr

    def layer(self, svg, name):
        begin = svg.index(f'<g class="{name}"')
        return svg[begin : svg.index("</g>", begin)]

    def test_two_features_show_regions_of_a_clustering(self):
        self.run_tool(
            "cluster", "builtin:gaussians,n=60", "-k", 2, "--model", "m.mm", "-o", "labels.txt"
        )
        svg = self.svg("builtin:gaussians,n=60", "--model", "m.mm")
        self.assertEqual(self.layer(svg, "regions").count("<path"), 2)
        self.assertEqual(self.layer(svg, "points").count("<path"), 60)
        self.assertIn(">cluster</text>", svg)
        # The same labels from a file have no regions.
        plain = self.svg("builtin:gaussians,n=60", "--labels", "labels.txt")
        self.assertNotIn('class="regions"', plain)
        self.assertEqual(self.layer(plain, "points"), self.layer(svg, "points"))

    def test_a_scaled_model_is_drawn_in_the_datas_own_units(self):
        self.write("wide.csv", "a,b\n" + "".join(f"{1000 * (i % 2)},{i}\n" for i in range(12)))
        self.run_tool("cluster", "wide.csv", "-k", 2, "--scale", "range", "--model", "m.mm")
        svg = self.svg("wide.csv", "--model", "m.mm")
        self.assertIn(">1000</text>", svg)
        self.assertEqual(self.layer(svg, "regions").count("<path"), 2)

    def test_support_vectors_of_a_classifier_have_rings(self):
        data = "builtin:circles,n=80,seed=1"
        self.run_tool("train", data, "--learner", "svc", "-o", "m.mm", "--json", "r.json")
        svg = self.svg(data, "--model", "m.mm")
        info = self.run_tool("info", "m.mm").stdout
        vectors = int(re.search(r"vectors\s+(\d+)", info).group(1))
        self.assertEqual(self.layer(svg, "rings").count("<circle"), vectors)
        self.assertIn(">support vector</text>", svg)
        self.assertEqual(self.layer(svg, "regions").count("<path"), 2)

    def test_support_vectors_of_a_clustering_have_rings(self):
        words = ["builtin:circles", "--method", "sv-clustering", "--gamma", 10, "--nu", 0.1]
        report = self.json_of("cluster", *words, "--model", "m.mm", "--plot", "p.svg")
        vectors = report["metrics"]["support_vectors"]
        for svg in (self.svg("builtin:circles", "--model", "m.mm"),
                    (self.folder / "p.svg").read_text()):  # fmt: skip
            self.assertEqual(self.layer(svg, "rings").count("<circle"), vectors)
            self.assertIn(">outlier</text>", svg)  # the plane between the pieces

    def test_a_one_class_machine_shows_its_inside(self):
        data = "builtin:gaussians,n=60"
        self.run_tool("train", data, "--learner", "svdd", "--nu", 0.2, "-o", "m.mm")
        svg = self.svg(data, "--model", "m.mm")
        self.assertIn(">inside</text>", svg)
        self.assertIn(">outlier</text>", svg)

    def test_more_features_are_shown_by_principal_components(self):
        svg = self.svg("builtin:iris")
        self.assertIn("principal component 1 (92.5 % of the variance)", svg)
        self.assertIn(">class</text>", svg)
        self.assertIn(">setosa</text>", svg)

    def test_a_kernel_given_draws_its_principal_components(self):
        svg = self.svg("builtin:iris", "--kernel", "rbf", "--gamma", 0.1)
        self.assertIn("kernel principal component 1 (", svg)
        self.assertEqual(self.layer(svg, "points").count("<path"), 150)
        # Those of the linear kernel are those of the input space.
        linear = self.svg("builtin:iris", "--kernel", "linear")
        self.assertIn("kernel principal component 1 (92.5 % of the variance)", linear)

    def test_outliers_in_a_label_file_are_no_group(self):
        self.write("p.csv", "a,b\n0,0\n1,1\n2,2\n")
        self.write("labels.txt", "0\n1\noutlier\n")
        svg = self.svg("p.csv", "--labels", "labels.txt")
        self.assertIn(">outlier</text>", svg)
        self.assertIn("#777777", self.layer(svg, "points"))
        self.assertNotIn("unlabelled", svg)

    def test_rows_without_a_label_are_not_called_outliers(self):
        self.write("half.csv", "a,b,class\n0,0,x\n1,1,y\n2,2,\n3,1,\n")
        svg = self.svg("half.csv")
        self.assertIn(">unlabelled</text>", svg)
        self.assertNotIn("outlier", svg)

    def test_projections_of_a_machine_and_of_clusters(self):
        data = "builtin:circles,n=80,seed=1"
        self.run_tool("train", data, "--learner", "svc", "-o", "m.mm")
        svg = self.svg(data, "--model", "m.mm", "--what", "projections")
        self.assertEqual(svg.count('class="bars"'), 1)
        svg = self.svg("builtin:iris", "--what", "projections")
        self.assertEqual(svg.count('class="bars"'), 3)
        self.assertIn("setosa against the rest", svg)
        self.assertIn("refitted SVM", svg)

    def test_projections_of_several_classes_are_those_of_the_model(self):
        pictures = []
        for cost in (0.01, 100):
            self.run_tool("train", "builtin:iris", "--learner", "svc", "-C", cost, "-o", "m.mm")
            pictures.append(self.svg("builtin:iris", "--model", "m.mm", "--what", "projections"))
        self.assertNotEqual(*pictures)  # another machine has other values
        self.assertEqual(pictures[0].count('class="bars"'), 3)
        self.assertIn("setosa against versicolor", pictures[0])
        self.assertNotIn("refitted", pictures[0])
        self.run_tool("cluster", "builtin:iris", "-k", 3, "--scale", "range", "--model", "c.mm")
        refit = self.svg("builtin:iris", "--model", "c.mm", "--what", "projections")
        self.assertIn("refitted SVM", refit)

    def test_quantiles_of_random_labels(self):
        svg = self.svg("builtin:iris,positive=setosa", "--what", "qq", "--gamma", 0.125)
        self.assertIn("kernel SSE 28.559", svg)  # seed-merat fact 35
        self.assertIn("quantile of the fitted S_B law", svg)
        self.assertEqual(self.layer(svg, "lines").count("<path"), 1)

    def test_trace_has_a_curve_a_column(self):
        self.write("t.csv", "iteration,objective,purity\n0,10,\n1,8,0.5\n2,7,0.75\n")
        svg = self.svg("t.csv", "--what", "trace")
        self.assertEqual(svg.count('class="curve"'), 2)
        for text in ("iteration", "objective", "purity"):
            self.assertIn(f">{text}</text>", svg)

    def test_cluster_plot_shows_regions(self):
        self.run_tool("cluster", "builtin:circles", "-k", 2, "--plot", "p.svg", "-o", "l.txt")
        svg = (self.folder / "p.svg").read_text()
        self.assertEqual(self.layer(svg, "regions").count("<path"), 2)

    def test_output_file(self):
        self.run_tool("plot", "builtin:iris", "-o", "iris.svg")
        self.assertEqual((self.folder / "iris.svg").read_text(), self.svg("builtin:iris"))

    def test_same_bytes_for_any_number_of_threads(self):
        self.run_tool("cluster", "builtin:moons", "-k", 2, "--model", "m.mm", "-o", "l.txt")
        words = ["builtin:moons", "--model", "m.mm", "--threads"]
        self.assertEqual(self.svg(*words, 1), self.svg(*words, 4))

    def test_wrong_usage(self):
        self.write("short.txt", "0\n1\n")
        self.write("bad.csv", "iteration,x\n0,a\n")
        self.write("ragged.csv", "iteration,x\n0,1,2\n")
        self.write("empty.csv", "")
        self.write("one.csv", "a,b\n1,2\n3,4\n")
        self.run_tool("train", "builtin:gaussians,n=30", "--learner", "svr", "-o", "svr.mm")
        self.run_tool("cluster", "builtin:iris", "-k", 2, "--model", "iris.mm", "-o", "l.txt")
        for words, part in (
            (["builtin:iris", "--what", "cluster"], "clusters"),
            (["builtin:iris", "--labels", "short.txt"], "short.txt"),
            (["builtin:iris", "--labels", "short.txt", "--model", "iris.mm"], "--labels"),
            (["builtin:iris", "--model", "no.mm"], "no.mm"),
            (["builtin:gaussians,n=30", "--model", "svr.mm"], "regression"),
            (["builtin:circles", "--model", "iris.mm"], "features"),
            (["bad.csv", "--what", "trace"], "bad.csv:2:3"),
            (["ragged.csv", "--what", "trace"], "ragged.csv:2"),
            (["empty.csv", "--what", "trace"], "empty.csv"),
            (["bad.csv", "--what", "trace", "--model", "iris.mm"], "--model"),
            (["one.csv", "--what", "projections"], "two groups"),
            (["one.csv", "--what", "qq"], "two groups"),
            (["one.csv", "--kernel", "precomputed"], "needs the points"),
        ):
            with self.subTest(words):
                self.assertIn(part, self.svg(*words, code=1))
