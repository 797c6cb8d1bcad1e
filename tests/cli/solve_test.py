# SPDX-License-Identifier: Apache-2.0
"""The solve command."""

import math

from tool import ToolTest

# Lovasz theta of the 5-cycle: max <J, X>, tr X = 1, X_ij = 0 on edges; sqrt(5).
THETA = (
    "* theta of the 5-cycle\n6 = constraints\n1 = blocks\n{5}\n1 0 0 0 0 0\n"
    + "".join(f"0 1 {i} {j} 1\n" for i in range(1, 6) for j in range(i, 6))
    + "".join(f"1 1 {i} {i} 1\n" for i in range(1, 6))
    + "2 1 1 2 1\n3 1 2 3 1\n4 1 3 4 1\n5 1 4 5 1\n6 1 1 5 1\n"
)
# tr X = -1.
NONE = "1\n1\n2\n-1\n1 1 1 1 1\n1 1 2 2 1\n"
# min -X_11 with X_22 = 1.
ENDLESS = "1\n1\n2\n1\n0 1 1 1 1\n1 1 2 2 1\n"


class Solve(ToolTest):
    def program(self, text):
        return self.write("program.dat-s", text).name

    def test_three_solvers_find_the_square_root_of_five(self):
        name = self.program(THETA)
        for solver in ("interior-point", "admm", "low-rank"):
            report = self.json_of("solve", name, "--method", solver, "--verify")
            self.assertEqual(report["status"], "solved")
            self.assertEqual(report["method"], solver)
            self.assertTrue(report["verified"])
            self.assertEqual((report["n"], report["d"]), (5, 6))
            self.assertAlmostEqual(report["primal_objective"], -math.sqrt(5), places=4)
            self.assertAlmostEqual(report["metrics"]["sdpa_primal"], math.sqrt(5), places=4)
            self.assertLessEqual(report["lower_bound"], -math.sqrt(5) + 1e-9)
            self.assertAlmostEqual(report["lower_bound"], -math.sqrt(5), places=3)

    def test_solution_file_holds_the_multipliers_first(self):
        name = self.program(THETA)
        self.run_tool("solve", name, "-o", "solution.txt")
        lines = (self.folder / "solution.txt").read_text().splitlines()
        x = [float(number) for number in lines[0].split()]
        self.assertEqual(len(x), 6)
        self.assertAlmostEqual(x[0], math.sqrt(5), places=6)
        trace = sum(float(line.split()[4]) for line in lines[1:]
                    if line.startswith("2 ") and line.split()[2] == line.split()[3])
        self.assertAlmostEqual(trace, 1, places=6)

    def test_infeasible_programs_are_answered(self):
        for text, status in ((NONE, "primal_infeasible"), (ENDLESS, "dual_infeasible")):
            report = self.json_of("solve", self.program(text), "--verify")
            self.assertEqual(report["status"], status)
            self.assertTrue(report["verified"])

    def test_infeasible_programs_of_any_numbers_come_with_a_ray_that_holds(self):
        # -I / 3 and 0.7 times a matrix of trace 1: b'y = 1 for y = (1, 1). And, turned round, the
        # direction diag(1, 0.3): its products with both rows vanish to rounding alone.
        none = "2\n1\n2\n0.3 0.7\n0 1 1 1 -1\n1 1 1 1 -0.9\n1 1 1 2 0.35\n1 1 2 2 -0.4\n" \
               "2 1 1 1 0.1\n2 1 1 2 -0.3\n2 1 2 2 -0.2\n"
        endless = "2\n1\n2\n1 0.2\n0 1 1 1 0.7\n0 1 1 2 0.1\n1 1 1 1 0.3\n1 1 2 2 -1\n" \
                  "2 1 1 1 0.21\n2 1 1 2 0.9\n2 1 2 2 -0.7\n"
        for text, status in ((none, "primal_infeasible"), (endless, "dual_infeasible")):
            for method in ("interior-point", "admm", "low-rank"):
                report = self.json_of("solve", self.program(text), "--method", method, "--verify")
                self.assertEqual(report["status"], status, method)
                self.assertTrue(report["verified"], method)
                self.assertLessEqual(report["metrics"]["ray_violation"], 1e-14)
                self.assertNotIn("_ray", report.get("message", ""))

    def test_seed_belongs_to_the_random_start(self):
        done = self.run_tool("solve", self.program(THETA), "--seed", 3, code=1)
        self.assertIn("low-rank", done.stderr)

    def test_feasible_programs_in_large_units_are_not_called_infeasible(self):
        report = self.json_of("solve", self.program("1\n1\n2\n1e9\n0 1 1 1 -1\n1 1 1 1 1\n1 1 2 2 1\n"),
                              "--verify", code=2)
        # The least value is 0: no gap that is measured by it is small.
        self.assertEqual(report["status"], "solved_inaccurate")
        self.assertIn("near zero", report["message"])
        self.assertIsNot(report.get("verified"), False)

    def test_help_speaks_of_solving(self):
        said = " ".join(self.run_tool("solve", "--help").stdout.split())
        self.assertNotIn("listed below", said)
        self.assertIn("interior-point, admm, low-rank [interior-point]", said)
        # The least tolerances, as the solvers say them.
        for method, least in (("interior-point", "1e-12"), ("admm", "1e-10"), ("low-rank", "1e-9")):
            done = self.run_tool("solve", self.program(THETA), "--method", method, "--tolerance",
                                 "1e-13", code=1)  # fmt: skip
            self.assertIn(f"from {least} to 0.1", done.stderr)
            self.assertIn(least, said)

    def test_limit_exits_with_two(self):
        done = self.run_tool("solve", self.program(THETA), "--max-iterations", 1, code=2)
        self.assertIn("iteration_limit", done.stderr)

    def test_wrong_input_names_file_line_and_rule(self):
        done = self.run_tool("solve", self.program("1\n1\n2\n1\n1 1 3 1 1\n"), code=1)
        self.assertIn("program.dat-s:5:5: expected the row of an entry", done.stderr)
        self.run_tool("solve", "missing.dat-s", code=1)
        done = self.run_tool("solve", self.program(THETA), "--method", "simplex", code=1)
        self.assertIn("interior-point", done.stderr)
        done = self.run_tool("solve", self.program("1\n1\n2000000000\n1\n1 1 1 1 1\n"), code=1)
        self.assertIn("32766", done.stderr)
