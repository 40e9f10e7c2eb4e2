// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>

namespace nadi
{

struct Workload;

/// What a job that is made from a few numbers may have at most, so that a slip of the pen is an
/// error and not the end of the machine's memory: the nodes of all its graphs.
///
/// A node takes some 250 bytes while its graph is made, and some 500 in a run, with its part of the
/// results. So the largest job takes 5 GB; it takes more where many collectives are under way at
/// once.
constexpr uint64_t MOST_NODES = 10'000'000;

/// The nodes of all ranks, which are more where ranks share a graph. Each takes a byte
/// (RankProgress), so these take up to 4 GB besides.
constexpr uint64_t MOST_NODES_OF_RANKS = uint64_t{1} << 32;

/// Throws ConfigError at `where` for a job with more than MOST_NODES_OF_RANKS.
void CheckNodesOfRanks(const Workload& workload, const std::string& where);

} // namespace nadi
