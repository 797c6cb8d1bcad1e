// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace maxmargin {

/// One visitor from several lambdas.
template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace maxmargin
