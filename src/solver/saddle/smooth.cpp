// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/saddle.md, step 3, for other minimisers.
#include <memory>
#include <utility>

#include "core/parallel.hpp"
#include "solver/saddle/function.hpp"
#include "solver/saddle/run.hpp"

namespace maxmargin::saddle {

namespace {

/// A function and the form it looks at.
class OwningFunction final : public UnitRowsFunction {
 public:
  OwningFunction(Form form, const SmoothSaddleOptions& options)
      : form_(std::move(form)), function_(form_, thread_count(options.context.threads), {}) {
    function_.set_barrier(options.barrier);
    function_.constraints().set_penalty(options.penalty);
  }
  double evaluate(DenseView v, MutableDenseView gradient) override {
    return function_.evaluate(v, gradient);
  }
  void hessian_product(DenseView direction, MutableDenseView product) override {
    function_.hessian_product(direction, product);
  }

 private:
  Form form_;
  Function function_;
};

}  // namespace

std::unique_ptr<UnitRowsFunction> smooth(Form form, const SmoothSaddleOptions& options) {
  return std::make_unique<OwningFunction>(std::move(form), options);
}

}  // namespace maxmargin::saddle
