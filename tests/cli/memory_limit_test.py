# SPDX-License-Identifier: Apache-2.0
"""What is said when a --memory-limit is too small: numbers that differ, the name asked for."""

import re

from tool import ToolTest

BLOBS = "builtin:gaussians,n=120,seed=1"
NEEDS = re.compile(
    r"needs ([1-9]\d*) (bytes|KiB|MiB), more than the memory limit of ([1-9]\d*) (bytes|KiB)"
)
BYTES = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20}


class MemoryLimit(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("few.svm", "".join(
            f"{'?' if i > 8 else 1 - 2 * (i % 2)} 1:{i % 2 + 0.01 * i} 2:{0.1 * i}\n"
            for i in range(60)))  # fmt: skip

    def refused(self, *words):
        done = self.run_tool(*words, "--memory-limit", "20K", code=1)
        found = NEEDS.search(done.stderr)
        self.assertIsNotNone(found, done.stderr)
        needed, unit, limit, limit_unit = found.groups()
        self.assertGreater(int(needed) * BYTES[unit], int(limit) * BYTES[limit_unit])
        self.assertEqual((limit, limit_unit), ("20", "KiB"))
        return done.stderr

    def test_methods(self):
        for name, words in (
            ("mmc", []),
            ("mmc", ["--features", "nystroem:30"]),
            ("mmc-alternating", []),
            ("mmc-alternating", ["--features", "nystroem:30"]),
        ):
            with self.subTest(name=name, words=words):
                said = self.refused("cluster", BLOBS, "--method", name, "-k", 2, *words)
                self.assertRegex(said, f"^maxmargin: {name} (on|with) ")
                self.assertIn("allow more memory", said)

    def test_learners(self):
        for name in ("robust-svc", "outlier-svc", "lp-svc", "loo-svc"):
            with self.subTest(name=name):
                said = self.refused("train", BLOBS, "--learner", name, "-o", "m.mm")
                self.assertRegex(said, f"^maxmargin: {name} on ")
        for words in ([], ["--multiclass", "direct"]):
            said = self.refused("train", "few.svm", "--learner", "s3vm", *words, "-o", "m.mm")
            self.assertRegex(said, "^maxmargin: s3vm on 60 rows needs")

    def test_structured_learners(self):
        self.write("long.conll", "".join(f"w{i % 50} {'AB'[i % 3 == 0]}\n" for i in range(2000)))
        words = ["train", "long.conll", "--learner", "sequence", "--threads", 1, "-o", "m.mm"]
        self.assertIn("a structured perceptron of ",
                      self.refused(*words, "--solver", "perceptron"))  # fmt: skip
        self.assertIn("a chain CRF of ", self.refused(*words, "--solver", "crf"))
        self.assertIn("with argmaxes on 1 thread and room for planes needs",
                      self.refused(*words, "--min-count", 500))  # fmt: skip
        self.write("pair.fasta", ">a\n" + "A" * 500 + "\n>b\n" + "C" * 500 + "\n")
        said = self.refused("train", "pair.fasta", "--learner", "align", "--threads", 1, "-o", "m.mm")
        self.assertIn("with argmaxes on 1 thread and room for planes needs", said)

    def test_mmc_of_features_names_itself_in_all_messages(self):
        self.write("one.csv", "a,b\n1,2\n")
        done = self.run_tool("cluster", "one.csv", "--method", "mmc", "-k", 2, "--features",
                             "nystroem:1", code=1)  # fmt: skip
        self.assertIn("maxmargin: mmc: 2 clusters need as many distinct points", done.stderr)
