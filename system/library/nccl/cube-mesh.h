// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace nadi::nccl
{

inline constexpr uint32_t CUBE_NPUS = 8;

// The links of a hybrid cube mesh (NodeWiring::HybridCubeMesh) are those of two rings through all
// NPUs, which share no pair.

/// Of its doubled links.
inline constexpr std::array<uint32_t, CUBE_NPUS> DOUBLED_RING{0, 3, 2, 1, 5, 6, 7, 4};

/// Of its others.
inline constexpr std::array<uint32_t, CUBE_NPUS> SINGLE_RING{0, 1, 3, 7, 5, 4, 6, 2};

/// As many rings through some NPUs of a hybrid cube mesh as its links carry side by side, if each
/// ring goes both ways: together they use no link twice. Each is a list of indexes in `npus`.
/// Empty: no ring through them has a link for each step.
///
/// Requires: three at least, and less than all of them.
std::vector<std::vector<uint32_t>> FindRingsOfCubeMesh(const std::vector<uint32_t>& npus);

} // namespace nadi::nccl
