// SPDX-License-Identifier: Apache-2.0
//
// maxmargin demo: the main job on built-in data, explained.
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
  std::cout
      << "Iris: 150 flowers, 4 measurements each, grouped into 3 clusters without looking at\n"
         "the species (maxmargin cluster builtin:iris --method "
      << trained.report.name << " -k 3 --seed " << own.context.seed << ").\n\n"
      << summary(trained.report)
      << "\nThe certificate: no grouping into 3 clusters has a sum of squares below the lower\n"
         "bound. The measures below it compare the clusters with the species.\n\n"
         "The picture is in "
      << own.plot << "\n";
  return 0;
}

}  // namespace maxmargin::tool
