// SPDX-License-Identifier: Apache-2.0
//
// maxmargin demo: the main jobs on built-in data, explained.
#include <algorithm>
#include <iostream>

#include "commands/commands.hpp"
#include "commands/common.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/learner/cluster.hpp"
#include "picture.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

struct DemoOptions {
  Context context = {.seed = 1};
  std::string plot = "maxmargin-demo.svg";
  bool quiet = false;
  void describe(OptionVisitor& visit) {
    visit.text({.name = "plot", .help = "where to draw the clusters (SVG)", .value = "FILE"}, plot);
    context.describe(visit);
    visit.yes_no({.name = "quiet", .help = "draw the picture alone"}, quiet);
    visit.rule(plot != "-", "demo --plot: must be a file");
  }
};

/// The first classifier of the registry.
const Learner& first_classifier() {
  return **std::ranges::find_if(learners(), [](const Learner* each) {
    return each->info().task == Task::classify && each->info().data == DataKind::table;
  });
}

}  // namespace

std::vector<OptionGroup> demo_groups(const Learner* /*learner*/) {
  return {group_of<DemoOptions>("Options")};
}

int run_demo(Call& call) {
  DemoOptions own;
  call.take(own);
  bound_memory(own.context);
  Outputs outputs(call, {{"plot", own.plot}});
  Context context = own.context;
  context.on_progress = progress_line(own.quiet);
  const TableData data{.data = iris()};
  const Training trained = cluster(data, 3, context);
  end_progress_line();
  outputs.file("plot")->write(cluster_picture(data, trained, own.context));
  outputs.commit();
  if (own.quiet) return 0;
  const Training machine = first_classifier().train(data, {.context = context});
  end_progress_line();
  std::cout
      << "Iris: 150 flowers, 4 measurements each, grouped into 3 clusters without looking at\n"
         "the species (maxmargin cluster builtin:iris --method "
      << trained.report.name << " -k 3 --seed " << own.context.seed << ").\n\n"
      << summary(trained.report)
      << "\nThe certificate: no grouping into 3 clusters has a sum of squares below the lower\n"
         "bound. To find the best grouping is hard, and this bound is that of an easier problem:\n"
         "true, but its gap says little about the grouping. The measures below it compare the\n"
         "clusters with the species.\n\n"
         "Where the problem itself is easy (convex), bound and objective meet: the same flowers,\n"
         "told apart by their species (maxmargin train builtin:iris --learner "
      << machine.report.name << ").\n\n"
      << summary(machine.report)
      << "\nThe certificate: no machine of this kind has an objective below the dual one; the\n"
         "relative gap is all that is left to gain.\n\n"
         "The picture of the clusters is in "
      << own.plot << "\n";
  return 0;
}

}  // namespace maxmargin::tool
