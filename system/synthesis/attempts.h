// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/synthesis/attempt-rules.h"
#include "system/synthesis/free-trees.h"
#include "system/synthesis/group-routes.h"
#include "system/synthesis/synthesis.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi::synthesis
{

/// What to try.
struct AttemptChoice
{
    uint32_t chunks = 1; ///< as in SynthesisOptions
    uint64_t seed = 1;
    AttemptRule rule = AttemptRule::Plain;
};

/// Makes the attempts at one collective.
class AttemptMaker
{
  public:
    /// Requires: both outlive it.
    AttemptMaker(const GroupRoutes& routes, const SynthesisRequest& request);

    /// The rules that may make a difference here.
    std::vector<AttemptRule> Rules() const;

    /// The chunk counts that a rule tries, in ascending order.
    std::vector<uint32_t> ChunkCounts(AttemptRule rule) const;

    /// About how long an attempt takes, in units of some nanoseconds.
    uint64_t CostOf(const AttemptChoice& choice) const;

    Attempt Make(const AttemptChoice& choice) const;

    /// The buffers of the program of an attempt.
    ProgramBuffers BuffersOf(const Attempt& attempt) const;

  private:
    std::vector<uint32_t> ListCounts(AttemptRule rule) const;
    Attempt MakeMoving(const AttemptChoice& choice) const;
    Attempt MakeSpreading(const AttemptChoice& choice) const;
    uint32_t WholeChunks(AttemptRule rule, uint32_t chunks) const;
    Bytes LargestChunk(uint32_t chunks) const;

    const GroupRoutes& m_routes;
    const SynthesisRequest& m_request;
    uint32_t m_ranks;
    uint32_t m_centre = 0;
    std::optional<FreeTrees> m_trees;
};

} // namespace nadi::synthesis
