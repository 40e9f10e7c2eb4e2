// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

/// \file
/// The units of every quantity: the one list that parsing, printing and error texts share.

namespace nadi::detail
{

/// A unit and its worth in the quantity's own base: bytes, bits per second, picoseconds, FLOP per
/// second.
struct Unit
{
    std::string_view name;
    int64_t factor;
};

inline constexpr int64_t KILO = 1000;
inline constexpr int64_t MEGA = 1000 * KILO;
inline constexpr int64_t GIGA = 1000 * MEGA;
inline constexpr int64_t TERA = 1000 * GIGA;
inline constexpr int64_t PETA = 1000 * TERA;
inline constexpr int64_t KIBI = 1024;
inline constexpr int64_t MEBI = 1024 * KIBI;
inline constexpr int64_t GIBI = 1024 * MEBI;
inline constexpr int64_t TEBI = 1024 * GIBI;

inline constexpr std::array<Unit, 9> SIZE_UNITS{{{"B", 1},
                                                 {"KB", KILO},
                                                 {"MB", MEGA},
                                                 {"GB", GIGA},
                                                 {"TB", TERA},
                                                 {"KiB", KIBI},
                                                 {"MiB", MEBI},
                                                 {"GiB", GIBI},
                                                 {"TiB", TEBI}}};

inline constexpr std::array<Unit, 14> BANDWIDTH_UNITS{{{"B/s", 8},
                                                       {"KB/s", 8 * KILO},
                                                       {"MB/s", 8 * MEGA},
                                                       {"GB/s", 8 * GIGA},
                                                       {"TB/s", 8 * TERA},
                                                       {"b/s", 1},
                                                       {"Kb/s", KILO},
                                                       {"Mb/s", MEGA},
                                                       {"Gb/s", GIGA},
                                                       {"Tb/s", TERA},
                                                       {"KiB/s", 8 * KIBI},
                                                       {"MiB/s", 8 * MEBI},
                                                       {"GiB/s", 8 * GIBI},
                                                       {"TiB/s", 8 * TEBI}}};

inline constexpr std::array<Unit, 5> TIME_UNITS{
    {{"ps", 1}, {"ns", KILO}, {"us", MEGA}, {"ms", GIGA}, {"s", TERA}}};

inline constexpr std::array<Unit, 6> FLOP_RATE_UNITS{{{"FLOP/s", 1},
                                                      {"KFLOP/s", KILO},
                                                      {"MFLOP/s", MEGA},
                                                      {"GFLOP/s", GIGA},
                                                      {"TFLOP/s", TERA},
                                                      {"PFLOP/s", PETA}}};

/// A kind of quantity, as error texts speak of it.
struct Quantity
{
    std::string_view noun; ///< "a size"
    std::span<const Unit> units;
    std::array<std::string_view, 2> usual; ///< the units offered to a number without one
};

inline constexpr Quantity SIZE{"a size", SIZE_UNITS, {"B", "KiB"}};
inline constexpr Quantity BANDWIDTH{"a bandwidth", BANDWIDTH_UNITS, {"GB/s", "Gb/s"}};
inline constexpr Quantity TIME{"a time", TIME_UNITS, {"ns", "us"}};
inline constexpr Quantity FLOP_RATE{"a compute rate", FLOP_RATE_UNITS, {"TFLOP/s", "GFLOP/s"}};

} // namespace nadi::detail
