// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"
#include "tests/support/symbolic-buffers.h"
#include "tests/support/symbolic-joins.h"

#include <bitset>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace nadi::symbolic
{

constexpr uint32_t MAX_RANKS = 64;
using RankSet = std::bitset<MAX_RANKS>;

/// How a plan is executed.
struct Schedule
{
    uint32_t seed = 0;   ///< of the order in which messages arrive and lanes go on
    uint32_t window = 1; ///< lanes of a stage that a rank runs at a time, unless the plan has waits
};

/// Executes a plan by the rules of CollectivePlan, without time: whatever may happen next does, in
/// random order.
///
/// A message carries what its range holds when it is posted, and is used when its lane reaches the
/// step that receives it. What a rank has heard of travels along the plan's own dependencies only,
/// never by chance of the order: a lane knows what its rank knew when the stage began, what its
/// messages brought, and what the lanes knew whose steps it waited for.
class Execution
{
  public:
    /// Requires: plan.ranks <= MAX_RANKS; `buffers` has the ranks, rows, elements and scratch of
    /// the plan.
    Execution(const CollectivePlan& plan, Buffers buffers, const Schedule& schedule);

    /// Runs to the end. What went wrong: a message with one end, twice the same message, ends that
    /// differ, a range outside the buffer, different elements reduced into one, lanes that wait for
    /// each other in a circle, or ranks that wait for ever.
    std::optional<std::string> Run();

    const Buffers& Result() const
    {
        return m_buffers;
    }

    /// Whose start the end of `rank` depends on.
    RankSet HeardBy(uint32_t rank) const
    {
        return m_ranks[rank].heard;
    }

    /// The most messages that wait for one another.
    uint32_t LongestChain() const
    {
        return m_longestChain;
    }

  private:
    struct Key
    {
        uint32_t source, destination, stage, channel, tag;

        auto operator<=>(const Key&) const = default;
    };

    struct Past
    {
        RankSet heard;
        uint32_t chain = 0; ///< messages that led here, one after the other
    };

    struct Message
    {
        Key key;
        Transfer transfer;
        std::vector<uint8_t> counts; ///< of its elements, one after the other
        std::vector<uint64_t> held;  ///< which elements these are
        Past past;
    };

    /// A place of a rank's row, and what becomes of it.
    struct Target
    {
        uint32_t rank = 0;
        uint32_t row = 0;
        uint64_t element = 0;
        PlanStep::Action action = PlanStep::Action::Copy;
    };

    struct Lane
    {
        uint32_t rank = 0;
        uint32_t index = 0;
        uint32_t step = 0;
        bool hasPosted = false;
        Past past;
    };

    struct Rank
    {
        RankSet heard;
        uint32_t stage = 0;
        uint32_t nextLane = 0;
        uint32_t running = 0;
        uint32_t chain = 0;
        Past next; ///< what the lanes of this stage that ended bring
    };

    void EnterStage(uint32_t rank);
    void StartLanes(uint32_t rank);
    void FinishLane(const Lane& lane);
    void Advance(Lane lane);
    void Post(const Lane& lane, const Transfer& send);
    bool WaitsForLane(Lane& lane, const PlanStep& step);
    void CompleteStep(Lane lane);
    void Receive(Lane& lane, const PlanStep& step, const Message& message);
    void Work(const Lane& lane, const PlanStep& step);
    bool Put(const Target& target, ConstTokenCounts counts, uint64_t held);
    static uint32_t ChannelOf(const Lane& lane, const Transfer& transfer);
    void DeliverAny();
    uint32_t Draw(size_t choices);
    uint64_t ElementAt(const Interval& range, uint64_t offset) const;
    bool IsInside(const Transfer& transfer) const;
    void Fail(const Key& key, const std::string& problem);
    std::optional<std::string> FindLoose() const;

    const CollectivePlan& m_plan;
    Buffers m_buffers;
    uint32_t m_window;
    std::minstd_rand m_random;
    std::vector<Interval> m_regions; // an all-to-all's ranges go round in them
    std::vector<Rank> m_ranks;
    std::vector<Lane> m_ready;
    std::map<Key, Lane> m_waiting;
    LaneJoins<Past> m_joins;
    std::vector<std::vector<Lane>> m_joining; // by rank: lanes that wait for lanes
    std::vector<Message> m_flying;
    std::map<Key, Message> m_arrived;
    std::set<Key> m_posted;
    uint32_t m_longestChain = 0;
    std::optional<std::string> m_problem;
};

} // namespace nadi::symbolic
