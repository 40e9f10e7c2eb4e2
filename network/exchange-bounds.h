// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/cut-graph.h"

namespace nadi
{

/// \file
/// What limits an all-to-all, in which every member sends a block of its own to every other one.
/// Its optimum is that of a linear program (the maximum concurrent flow). Both bounds hold for it,
/// but it may be larger than either.

/// The tightest of some cuts: the load is the number of blocks that cross it. Tried are the sides
/// that grow from each member by one vertex at a time, always by the one that makes the cut
/// tightest, until half of the members are inside; and of that half the narrowest cut to the
/// others. Each in both directions. Requires: two members or more.
LoadedCut FindExchangeCut(const CutGraph& graph);

/// The load is the sum over all blocks of the length of their shortest ways, and the rate the sum
/// over all links of length x rate: a link of length l takes l units of a block that crosses it,
/// and no way is shorter than the shortest. It holds for any lengths of links. Tried are lengths of
/// 1, and lengths that are inverse to rates; the better is the result. It is no cut, so `inside` is
/// empty. Requires: two members or more.
LoadedCut FindExchangeLengths(const CutGraph& graph);

} // namespace nadi
