// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "core/always_inline.hpp"

/// Inner loops written once in vector types and compiled for several register widths, each with its
/// own shape: unlike MAXMARGIN_VECTOR_CLONES, where one shape has to suit all. Where the processor
/// multiplies and adds in one instruction, these loops do: a sum then has fewer roundings, so its
/// last bits may differ between processor types (as those of gemm do), never between calls.
namespace maxmargin {

/// After the parameters of a lambda that must be compiled inside its caller.
#define MAXMARGIN_INLINE_LAMBDA __attribute__((always_inline))

/// What the processor can do, and the registers it offers.
struct Baseline {
  static constexpr std::size_t vector_bytes = 16;
  static constexpr std::size_t registers = 16;
};
struct FusedAvx {
  static constexpr std::size_t vector_bytes = 32;
  static constexpr std::size_t registers = 16;
};
struct Avx512 {
  static constexpr std::size_t vector_bytes = 64;
  static constexpr std::size_t registers = 32;
};

/// A register of T, and its way from and to memory at any address. Vectors are passed by reference
/// alone: functions may differ in the registers they have for values.
template <class T, std::size_t Bytes>
struct VectorTypes {
  using Wide [[gnu::vector_size(Bytes)]] = T;
  MAXMARGIN_INLINE static void load(Wide& vector, const T* from) {
    __builtin_memcpy(&vector, from, Bytes);
  }
  MAXMARGIN_INLINE static void store(const Wide& vector, T* to) {
    __builtin_memcpy(to, &vector, Bytes);
  }
};

/// f(0), ..., f(N - 1), each argument a constant: arrays indexed by it live in registers.
template <std::size_t N, class F>
MAXMARGIN_INLINE void unrolled(const F& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) MAXMARGIN_INLINE_LAMBDA {
    (f(std::integral_constant<std::size_t, I>{}), ...);
  }
  (std::make_index_sequence<N>{});
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define MAXMARGIN_LEVELS 1
#define MAXMARGIN_FUSED_AVX __attribute__((target("avx2,fma"), optimize("fp-contract=fast")))
#define MAXMARGIN_AVX512 __attribute__((target("avx512f"), optimize("fp-contract=fast")))
#endif

/// Defines void name(const Work&) as implementation<Level>(work) for the best level there is.
#ifdef MAXMARGIN_LEVELS
#define MAXMARGIN_DEFINE_LEVELS(name, Work, implementation)                                 \
  namespace {                                                                               \
  MAXMARGIN_AVX512 void name##_avx512(const Work& work) { implementation<Avx512>(work); }   \
  MAXMARGIN_FUSED_AVX void name##_avx(const Work& work) { implementation<FusedAvx>(work); } \
  void name##_baseline(const Work& work) { implementation<Baseline>(work); }                \
  }                                                                                         \
  void name(const Work& work) {                                                             \
    using Implementation = void (*)(const Work&);                                           \
    static const Implementation best =                                                      \
        __builtin_cpu_supports("avx512f") ? Implementation{name##_avx512}                   \
        : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")                   \
            ? Implementation{name##_avx}                                                    \
            : Implementation{name##_baseline};                                              \
    best(work);                                                                             \
  }
#else
#define MAXMARGIN_DEFINE_LEVELS(name, Work, implementation) \
  void name(const Work& work) { implementation<Baseline>(work); }
#endif

}  // namespace maxmargin
