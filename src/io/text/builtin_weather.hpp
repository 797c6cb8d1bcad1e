// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace maxmargin {

/// What somebody does on the days of twelve fortnights, and the weather: drawn from a hidden Markov
/// model of three states.
inline constexpr std::string_view builtin_weather = R"(walk fair
walk fair
walk fair
swim fair
walk fair
walk fair
swim fair
walk fair
read fair
walk fair
walk snowy
read snowy
swim rainy
cook rainy

cook rainy
read rainy
walk fair
swim fair
walk fair
walk fair
swim fair
walk fair
swim fair
cook rainy
cook fair
walk fair
read rainy
walk rainy

read rainy
read rainy
read rainy
read rainy
cook rainy
cook rainy
swim fair
cook fair
read rainy
cook rainy
walk fair
walk fair
swim fair
walk fair

walk snowy
ski snowy
ski snowy
read snowy
cook snowy
ski snowy
read rainy
walk fair
swim fair
walk fair
walk fair
cook fair
swim fair
swim fair

ski snowy
ski snowy
cook snowy
cook rainy
walk fair
walk fair
walk fair
walk fair
walk fair
read fair
walk fair
walk fair
walk fair
cook rainy

walk fair
walk fair
swim fair
walk fair
ski snowy
read rainy
swim fair
ski snowy
read snowy
read snowy
ski snowy
read snowy
cook rainy
ski snowy

ski snowy
read rainy
walk rainy
walk fair
swim fair
cook snowy
ski snowy
cook snowy
read rainy
walk fair
read fair
read rainy
cook rainy
swim fair

cook rainy
read rainy
read rainy
cook rainy
read rainy
ski snowy
swim rainy
read fair
swim rainy
cook rainy
read rainy
swim rainy
cook fair
swim fair

read fair
read rainy
walk fair
swim fair
walk fair
read fair
walk fair
read fair
read fair
swim fair
walk fair
walk fair
swim fair
walk fair

read rainy
read rainy
swim rainy
read rainy
swim fair
swim fair
cook rainy
cook rainy
read rainy
read rainy
read rainy
ski snowy
ski snowy
read rainy

walk snowy
read rainy
walk fair
swim fair
cook rainy
swim fair
walk fair
cook rainy
cook fair
walk fair
ski snowy
read rainy
read rainy
walk fair

swim fair
walk fair
swim fair
walk fair
ski snowy
walk snowy
walk rainy
read rainy
walk fair
cook rainy
walk fair
read rainy
walk rainy
swim fair
)";

}  // namespace maxmargin
