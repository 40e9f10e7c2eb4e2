// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"
#include "network/network-options.h"
#include "network/routing.h"
#include "network/topology.h"
#include "system/collective-type.h"
#include "system/message-programs/message-program.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// What a synthesis may know of the network that its messages will cross.
struct SynthesisSurroundings
{
    const Topology& topology;
    const Routing& routing;
    const PacketOptions& packet; ///< payload, header, latency of switches, how ways are picked
    SimTime endpointDelay = {};
    std::optional<Bandwidth> reductionBandwidth = std::nullopt; ///< none: reductions take no time
    std::vector<uint32_t> stack = {}; ///< sizes of the dimensions that ranks fill, innermost first
};

struct SynthesisOptions
{
    /// Into how many chunks a shard is cut, or what one rank sends another; broadcast and reduce:
    /// the whole buffer. None: what is predicted to be best.
    std::optional<uint32_t> chunks;
    uint64_t seed = 1;
    /// How many seeds of the best chunk count are tried, and how much time goes into finding it:
    /// about half a second for each, except where the first attempts alone take longer; > 0.
    uint32_t tries = 4;
    /// How many trees each rank must be the root of for an all-gather to reach its bound
    /// (CountTrees of the network's cuts): multiples of it are tried as chunk counts too.
    std::optional<uint32_t> trees = std::nullopt;
    /// No program is quicker, as far as is known: the search ends near to it.
    std::optional<SimTime> bound = std::nullopt;
};

/// A collective of a group.
struct SynthesisRequest
{
    CollectiveType type = CollectiveType::AllGather;
    std::vector<RankId> ranks; ///< the group, by index; not empty
    uint32_t root = 0;         ///< index in the group, of collectives that have one
    uint64_t elements = 0;     ///< as in PlanRequest
    uint32_t elementBytes = 1;
    /// Whose messages they are: by it ECMP picks their ways. None: it does not matter.
    std::optional<CommunicatorId> communicator = std::nullopt;
    SynthesisOptions options;
};

/// What was tried.
struct SynthesisCandidate
{
    uint32_t chunks = 1; ///< as in SynthesisOptions
    uint64_t seed = 1;
    std::string rule; ///< in words
    SimTime predicted;
    bool isBuiltIn = false;  ///< it has no chunks and no seed of the synthesis
    bool isByFrames = false; ///< `predicted` is of single frames, and not of whole messages
};

struct SynthesisResult
{
    MessageProgram program;
    SimTime predicted; ///< from the first message until the last one may be used
    std::vector<SynthesisCandidate> candidates;
    size_t best = 0; ///< the candidate that the program is of
    /// The built-in algorithm that is predicted to be faster than what was synthesised: the program
    /// stores it. Empty: none is.
    std::string builtIn;
};

/// Makes a program for a collective that fits the network: of several attempts the one that is
/// predicted to end first. Where the number of chunks is left to it, built-in algorithms over all
/// ranks are candidates too, if no attempt comes near to the bound (MakeBuiltInPrograms).
///
/// Attempts are compared by a model in which a message takes every link of its route for as long as
/// its bits need there, headers included, and each link serves one message at a time. What is best
/// by that, and the built-in algorithms, are compared frame by frame (ProgramForecast), unless they
/// have too many messages.
///
/// With load-balancing `ecmp` the ways of messages are those that ECMP picks for the communicator.
///
/// A pure function: it does not depend on the order of the links in the topology, except where ECMP
/// has a choice, which it makes by that order.
/// Requires: no link has failed that leaves two ranks without a way.
SynthesisResult Synthesize(const SynthesisSurroundings& surroundings,
                           const SynthesisRequest& request);

} // namespace nadi
