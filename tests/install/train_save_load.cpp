// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <maxmargin/maxmargin.hpp>

namespace mm = maxmargin;

int main() {
  const mm::Training trained = mm::train("svc", mm::iris(), {{"C", 10}, {"kernel", "linear"}});
  mm::save_model(*trained.model, "iris.mm");
  const mm::Model model = mm::load_model("iris.mm");
  std::cout << mm::predict(model, mm::iris()).labels.front().text() << '\n';
}
