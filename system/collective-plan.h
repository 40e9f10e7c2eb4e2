// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/registry.h"
#include "common/units.h"
#include "network/find-aggregation-trees.h"
#include "network/shape.h"
#include "system/collective-type.h"
#include "system/phase-traffic.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

class MessageProgram;
class ProgramMaker;

/// Elements [begin, end) of a buffer.
///
/// In an all-to-all a range may pass the end of its region: it then goes on at the region's begin
/// (begin inside, length at most the region's). Region i is what the i-th OwnedRanges of all ranks
/// make up: the row, or the half of it that goes one way around a ring.
struct Interval
{
    uint64_t begin = 0;
    uint64_t end = 0;

    uint64_t Length() const
    {
        return end - begin;
    }

    bool operator==(const Interval&) const = default;
};

/// Part `index` of `interval` cut in `parts`: with n its length,
/// [floor(index n / parts), floor((index + 1) n / parts)) from its begin (docs/semantics.md 3).
Interval PartOf(Interval interval, uint32_t index, uint32_t parts);

/// One message of a plan, seen from either end.
struct Transfer
{
    /// Both ends are in lanes of the same index.
    static constexpr uint32_t OF_LANE = UINT32_MAX;

    /// All-to-all only: the rank whose input row the interval lies in. Elsewhere 0.
    uint32_t origin = 0;
    uint32_t peer = 0;          ///< index in the group: destination of a send, source of a receive
    uint32_t tag = 0;           ///< with (source, destination, stage, channel) it names the message
    uint32_t channel = OF_LANE; ///< what both ends say in place of their lane's index
    Interval range;             ///< what travels; where it begins is each end's own
};

/// A step of another lane of the same rank and stage.
struct LaneStep
{
    uint32_t lane = 0;
    uint32_t step = 0;
};

/// What a rank does with elements that it holds: it copies those of `from` over those of `into`, or
/// reduces them into those. Holds: both have one length, which is 0 where work only takes time.
struct LocalWork
{
    Interval from = {};
    Interval into = {};
    /// It takes that long, whatever the library says; of work that a file times.
    std::optional<SimTime> lasts = std::nullopt;
};

/// One step of a lane: wait for the step `after` (if any), post the send (if any) at once, then
/// wait for the receive (if any). A step is complete when it has posted, received and worked.
///
/// A step with `awaitsDelivery` waits for its own send instead, until it is delivered: so a rank
/// serves its peers one after the other, where messages sent at once would share its port.
/// Requires: such a step has a send and no receive.
///
/// A step with `local` work takes the time that the communication library says.
/// Requires: such a step has neither a send nor a receive.
struct PlanStep
{
    /// What becomes of received elements, or those of local work.
    enum class Action : uint8_t
    {
        Copy,   ///< they replace what is there
        Reduce, ///< they are reduced into what is there
    };

    std::optional<Transfer> send = std::nullopt;
    std::optional<Transfer> receive = std::nullopt;
    std::optional<LaneStep> after = std::nullopt;
    std::optional<LocalWork> local = std::nullopt;
    Action action = Action::Copy;
    bool awaitsDelivery = false;
};

/// What each rank of a group does in one collective: a pure function of (rank, stage, lane, step).
///
/// A rank runs its stages one after the other. A stage is a set of lanes that run side by side
/// (at most `sends-in-flight` at a time, in order of their index); a lane is a sequence of steps:
/// step k + 1 begins when what step k receives has arrived and may be used. A stage ends when all
/// its lanes have; only a step that says so waits for the delivery of its send. (A collective ends
/// on a rank no sooner than all that the rank sent is delivered: CollectiveRun.)
///
/// Example: a ring all-gather of three ranks has one stage, one lane and two steps. Rank 1 sends
/// its own shard to rank 2 and waits for shard 0 from rank 0 (step 0); then it sends shard 0 to
/// rank 2 and waits for shard 2 from rank 0 (step 1). A direct exchange has a lane of one step for
/// each peer instead, as no message depends on another.
///
/// Where a thread of a library's kernel waits for another one of the same rank, a plan says so by
/// PlanStep::after and HasWaits; all lanes of such a stage run at the same time.
///
/// A plan may have *helpers*: switches that compute, and memories. They are members ranks, ranks +
/// 1, ... of the plan, begin with empty buffers (but for a memory that is loaded from), and own
/// nothing.
///
/// Holds:
///   a message leaves and enters in the same stage of its two ends, and in the same lane index or
///   with the same channel;
///   (source, destination, stage, channel, tag) is unique;
///   each send has one receive with equal origin, tag and length of the range;
///   lanes do not wait for each other in a circle;
///   steps and messages do not depend on whether a range is empty: empty ones are sent too.
/// Nothing is stored per rank or step: a plan takes a few dozen bytes.
class CollectivePlan
{
  public:
    virtual ~CollectivePlan() = default;

    virtual uint32_t StageCount() const
    {
        return 1;
    }

    virtual uint32_t LaneCount(uint32_t rank, uint32_t stage) const = 0;
    virtual uint32_t StepCount(uint32_t rank, uint32_t stage, uint32_t lane) const = 0;
    virtual PlanStep StepAt(uint32_t rank, uint32_t stage, uint32_t lane, uint32_t step) const = 0;

    /// Members besides the ranks: the switches of PlanRequest::trees, tree by tree in the order of
    /// their nodes, if it has any.
    virtual uint32_t HelperCount() const
    {
        return 0;
    }

    /// How many lanes of a stage each member runs at a time; none: `sends-in-flight`.
    virtual std::optional<uint32_t> LanesAtOnce() const
    {
        return std::nullopt;
    }

    /// Whether a step may wait for a step of another lane.
    virtual bool HasWaits() const
    {
        return false;
    }

    /// Elements that every rank has besides the buffer, for the plan's own use: ranges may lie in
    /// [elements, elements + ScratchElements()). What they hold at first is nobody's data.
    virtual uint64_t ScratchElements() const
    {
        return 0;
    }

    /// Reduce-scatter: what `rank` owns afterwards. All-gather: what it contributes. All-to-all:
    /// what of each row goes to `rank`. In order; the ranges of all ranks partition the buffer (or
    /// row), and are the same for a reduce-scatter and an all-gather of one size. Other
    /// collectives: not asked.
    virtual std::vector<Interval> OwnedRanges(uint32_t rank) const = 0;
};

/// What a plan is made for.
struct PlanRequest
{
    CollectiveType type = CollectiveType::AllReduce;
    uint32_t ranks = 1; ///< p, the size of the group; a plan for p = 1 has no steps
    /// The whole buffer: all-reduce, reduce-scatter, broadcast, reduce: of any rank. All-gather,
    /// gather, scatter: of all shards together, shard i at PartOf(buffer, i, p) (or OwnedRanges).
    /// All-to-all: one rank's input row; its OwnedRanges(j) go to rank j. Barrier: 0.
    uint64_t elements = 0;
    uint32_t elementBytes = 1; ///< so that parameters in bytes (slices) can be met
    uint32_t root = 0;         ///< index in the group
    LineOrder line = LineOrder::Cycle;
    /// The switches that help; null: none do. Requires: the trees outlive the plan, and are as the
    /// algorithm's TreeDemand wants them: of `ranks` members, or of its parts.
    const AggregationTrees* trees = nullptr;
    /// What CollectiveAlgorithm::Programs made for the group; null: the algorithm needs none.
    /// Requires: it outlives the plan.
    const MessageProgram* program = nullptr;
    /// How many messages a rank may have under way where none depends on another
    /// (`sends-in-flight`); none: any number.
    std::optional<uint32_t> sendsAtOnce = std::nullopt;
};

/// The trees that an algorithm needs.
struct TreeDemand
{
    uint32_t most = 1;   ///< trees at a time
    bool isFlat = false; ///< all members hang on the root
    Bytes slice{};       ///< the most that goes over an edge in one message
    /// The group in parts, of two members or more each, by their index: each needs one tree of its
    /// own. Empty: the whole group has its trees together.
    std::vector<std::vector<uint32_t>> parts{};
};

/// An algorithm for collectives in one dimension, chosen by name.
///
/// To add one: copy the smallest sibling in `system/algorithms/`, edit, register, add it to
/// CMakeLists.txt there; the symbolic check runs on whatever is registered.
class CollectiveAlgorithm
{
  public:
    virtual ~CollectiveAlgorithm() = default;

    virtual bool Supports(CollectiveType type) const = 0;

    /// Requires: Supports(request.type).
    virtual std::unique_ptr<CollectivePlan> MakePlan(const PlanRequest& request) const = 0;

    /// How many of an NPU's `links` in a dimension (1 on a switch or a ring of two, 2 on a ring,
    /// p - 1 when fully connected) the algorithm drives at a time; for B_d of docs/semantics.md 3.
    virtual uint32_t LinksDriven(uint32_t links) const = 0;

    /// Message steps that follow one another in a phase (on trees: where all members hang on the
    /// root); for the latency term of docs/semantics.md 3.
    virtual uint32_t LatencySteps(CollectiveType type, uint32_t ranks) const = 0;

    /// Links that the messages of these steps cross together, along a line of a shape. Where
    /// members are not equally far from each other, those of the farthest messages count, since a
    /// step ends with the last of them. By default messages go between neighbours. Requires: ranks
    /// > 1.
    virtual uint64_t LatencyHops(CollectiveType type, uint32_t ranks, const Shape& shape) const
    {
        return uint64_t{LatencySteps(type, ranks)} * shape.HopCount(ranks, 0, 1);
    }

    /// How many times its latency a phase of one chunk leaves the wire idle, which other chunks in
    /// flight then may fill: once where all steps move equally much. More where they do not, since
    /// the short steps of several chunks meet. `chunks: auto` cuts fewer chunks then.
    virtual int64_t IdleLatencies(CollectiveType /*type*/) const
    {
        return 1;
    }

    /// What the busiest NPU of a line of `ranks` sends in a phase, or receives if that is more;
    /// `held` as in PhaseTraffic.
    virtual Bytes BusiestPort(CollectiveType type, Bytes held, uint32_t ranks) const
    {
        return PhaseTraffic(type, held, ranks);
    }

    /// Of an algorithm that needs trees: how often, one after the other, something goes up a tree
    /// and comes back in a phase. It counts in place of LatencySteps.
    virtual uint32_t RoundTrips(CollectiveType /*type*/) const
    {
        return 0;
    }

    /// Whether switches help, and on which trees: PlanRequest::trees are needed. None: they do not.
    virtual std::optional<TreeDemand> NeedsTrees() const
    {
        return std::nullopt;
    }

    /// Whether the parameter `slice` of an algorithm that has one cuts the buffers of the type.
    virtual bool CutsSlices(CollectiveType /*type*/) const
    {
        return true;
    }

    /// Who makes the stored programs that the algorithm's plans follow: PlanRequest::program is
    /// needed. Such an algorithm looks at the whole group and its network, so it runs over one flat
    /// list of ranks, in one chunk. Null: plans need none.
    virtual const ProgramMaker* Programs() const
    {
        return nullptr;
    }

    /// How many times a byte that some member must send (EstimateTraffic) is sent in the mean:
    /// more than once where members pass on what is for others. For the progress of a run.
    virtual double TimesSent(CollectiveType /*type*/, uint32_t /*ranks*/) const
    {
        return 1;
    }

    /// Whether chunks in flight stay in step with each other. Where they do not, messages of
    /// different steps meet at a port, members drift apart, and wires idle: `chunks: auto` cuts
    /// few.
    virtual bool KeepsChunksInStep(CollectiveType /*type*/, uint32_t /*ranks*/) const
    {
        return true;
    }
};

/// The registered algorithms that support `type`, in alphabetical order.
std::vector<std::string> AlgorithmsFor(CollectiveType type);

/// The choice with all parameters. BY_SIZE, which has none, stays as it is. Throws ConfigError for
/// a name that is not registered, and as CompleteParameters does.
ComponentChoice CompleteAlgorithm(const ComponentChoice& choice);

} // namespace nadi
