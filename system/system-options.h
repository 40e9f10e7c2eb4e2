// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/component.h"
#include "common/ids.h"
#include "common/units.h"
#include "network/shape.h"
#include "system/collective-schedule.h"
#include "system/collective-type.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// Which algorithms run a type of collective.
struct AlgorithmChoice
{
    /// One for each dimension of the logical stack, or a single one for all ranks when flat.
    std::vector<ComponentChoice> perDimension;
    bool isFlat = false; ///< `{flat: direct}`: one dimension of all members, whatever the stack

    bool operator==(const AlgorithmChoice&) const = default;
};

/// `system:` of the configuration, as far as communication goes. Complete: the reader of the
/// configuration has filled in an algorithm for every type (barrier follows all-reduce).
struct SystemOptions
{
    std::map<CollectiveType, AlgorithmChoice> algorithms;
    /// Of the calls by single nodes, over all ranks at once: they go before `algorithms`.
    std::map<NodeId, ComponentChoice> nodeAlgorithms;
    SchedulingOptions scheduling;
    uint32_t concurrentCollectives = 0; ///< per rank, of those that all members reached; 0 = any
    uint32_t sendsInFlight = 64;        ///< lanes of one stage running at a time on one rank
    SimTime endpointDelay = SimTime::FromNs(10);
    std::optional<Bandwidth> reductionBandwidth; ///< bytes per time to reduce received data
    uint32_t elementBytes = 1;
    ComponentChoice library{"plain"}; ///< the communication library
};

/// In place of an algorithm's name: ChooseBySize says which. For broadcast and reduce.
inline constexpr const char* BY_SIZE = "auto";

/// The default algorithm of a type along a dimension: all-to-all, gather and scatter -> direct
/// everywhere; all others as the shape has it (Shape::Defaults), broadcast and reduce BY_SIZE where
/// it says so. Always BY_SIZE or one that supports the type. A list of ranks that no dimension
/// tells apart has the defaults of ROUTES.
ComponentChoice DefaultAlgorithm(CollectiveType type, const Shape& shape);

/// What ChooseBySize looks at: a broadcast or reduce along one dimension.
struct RootedPhase
{
    Bytes size;               ///< S, the whole buffer
    uint32_t ranks = 1;       ///< p
    Bandwidth rate;           ///< b, of a port
    SimTime stepLatency;      ///< a
    bool hasOwnLinks = false; ///< every two ranks share a link, of rate b, and no port
    NeighbourChain chain = NeighbourChain::None;
};

/// `direct` where a single step is faster than both trees, since latency rules. Else
/// `double-binary-tree`, which pipelines, where that saves at least a tenth of the time of
/// `halving-doubling`, else the latter, which has half the messages (docs/collectives.md). With
/// h = ceil(log2 p) levels, and the buffer passed on in two pieces at least:
///   direct (p-1) S/b + a; halving-doubling h (S/b + a);
///   double-binary-tree S/b (1 + (h-1)/2) + h a.
/// So for h > 1 direct is chosen where (2 (p-1) - (h+1)) (S + 64 B)/b <= 2 (h-1) a, as each message
/// has a header, and of the trees the double one where (4 h - 5) S/b >= h a.
///
/// With links of their own ranks need not pass anything on: direct takes S/b + a. The double tree
/// sends each half over other links, in slices P (AutomaticSlice), and takes S/(2 b) + (h-1) P/b +
/// h a. It is chosen for h > 1 where it saves twice as much as its levels cost, as chunks may cut
/// the slices smaller: S/(4 b) >= (h-1) (P/b + a).
///
/// Along a whole line of neighbours the least of these is chosen, whose a is that of a link:
///   direct (p-1)/2 (S/b + a) around a ring, (p-1) (S/b + a) along a line;
///   bidirectional-ring, around a ring, S/(2 b) + (p-1) (P/b + a);
///   halving-doubling, along a line, h S/b + (2^h - 1) a;
///   ring, along a line, where its neighbours are two links apart, S/b + (p-1) (P/b + 2 a).
std::string ChooseBySize(const RootedPhase& phase);

} // namespace nadi
