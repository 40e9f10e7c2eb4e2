// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/models/pipeline-schedule.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nadi
{

/// Nodes of one rank, by their index in its graph, which is their place in its document. In the
/// order of the rank's tasks (OrderTasks).
using TaskList = std::vector<uint32_t>;

/// What a group of ranks shares.
enum class GroupRole : uint8_t
{
    Tensor,     ///< the matrices of a layer
    Expert,     ///< the experts of a layer: all-to-alls
    Data,       ///< copies of the same parameters: gradients, and shards of parameters
    ExpertData, ///< copies of the same experts
    Context,    ///< the tokens of a sequence: messages within layers
    Pipeline,   ///< the stages: messages between passes
    Embedding,  ///< the first and the last stage: a matrix that both have
    Other,
};

/// "tensor", "expert-data".
std::string_view ToText(GroupRole role);

/// What something was found by. Of several ranks the last one in this order counts.
enum class StructureEvidence : uint8_t
{
    None,
    Scopes,     ///< the names of nodes say which layer they are of
    Repetition, ///< tasks repeat with one period
    Hint,       ///< the user said so
};

/// "scopes".
std::string_view ToText(StructureEvidence evidence);

/// One time that a pass goes through a layer.
struct LayerPass
{
    uint32_t layer = 0; ///< of the whole model, from 0; of the rank where the stages are unknown
    uint32_t kind = 0;  ///< index into RankStructure::kinds
    /// Kernels, collectives and messages of the layer: as many, and in the same order, as in every
    /// other one of this kind.
    TaskList tasks;
    /// Others that stand among them: sums of gradients, what a recording has once.
    TaskList extra;
};

/// A micro-batch going through the layers of a chunk, forward or backward. Tasks of a rank that are
/// in no pass are in one of its other lists.
struct LayerRunPass
{
    bool isForward = true;
    int64_t iteration = 0; ///< from 0
    uint32_t microBatch = 0;
    uint32_t chunk = 0;            ///< of the rank; 0 unless interleaved
    TaskList before;               ///< receive, embedding; backward: the head
    std::vector<LayerPass> layers; ///< in the order of the pass: backward, the last layer first
    TaskList after;                ///< head and loss, send; backward: the embedding
};

/// Layers that have equal tasks.
struct LayerKind
{
    bool isForward = true;
    uint32_t first = 0;     ///< the place in RankStructure::tasks at which it is first met
    uint32_t taskCount = 0; ///< of one layer
    uint64_t passes = 0;    ///< how many LayerPass there are of it
    uint64_t operations = 0;
    uint64_t nanos = 0; ///< recorded, of kernels, in the median over passes
    std::map<std::string, uint32_t> tasksByType; ///< "kernel" 14, "memset" 2, "all-reduce" 2
};

/// What one rank does in a job.
struct RankStructure
{
    uint32_t rank = 0;
    /// The rank of which the lists of tasks are. Ranks of equal tasks share them: those of others
    /// than the first are empty.
    uint32_t sameAs = 0;
    TaskList tasks; ///< all kernels, collectives, messages and accesses to memory, in order
    uint32_t stage = 0;
    std::vector<LayerKind> kinds;
    std::vector<LayerRunPass> passes;
    TaskList head; ///< all tasks where there is no layer; else empty: passes have what is before
    TaskList optimizer;    ///< after the last pass of an iteration: sums, step, gathers
    TaskList gradientSums; ///< over copies, wherever they stand
    double covered = 0;    ///< the share of kernels that are in layers
    StructureEvidence evidence = StructureEvidence::None;
};

/// A group and one of the things that it is used for. A group of several uses is listed as often.
struct GroupUse
{
    std::string name; ///< as the traces name it; "" of all ranks, and of messages
    std::vector<uint32_t> ranks;
    GroupRole role = GroupRole::Other;
    std::map<std::string, uint64_t> calls; ///< by type, over all ranks: "all-reduce" 84
    uint64_t bytes = 0;                    ///< sizes of the calls together, as in the traces
};

/// Whether all that is called on a group is all-reduces.
bool OnlySums(const GroupUse& use);

/// In how many parts a job is cut along each axis; nothing where it cannot be told.
struct FoundDegrees
{
    std::optional<uint32_t> tensor;
    std::optional<uint32_t> context;
    std::optional<uint32_t> data;
    std::optional<uint32_t> pipeline;
    std::optional<uint32_t> expert;
};

/// How a training job is built, as its traces show it.
struct JobStructure
{
    std::vector<RankStructure> ranks; ///< those recorded, by rank
    uint32_t iterations = 1;
    uint32_t layers = 0;       ///< of the whole model; 0: none were found
    uint32_t microBatches = 0; ///< that go through a copy of the model in an iteration
    uint32_t chunks = 1;       ///< of layers that each stage has
    std::optional<PipelineSchedule> schedule; ///< nothing: none that Nadi knows
    bool isOfHost = false; ///< no kernels were recorded: tasks are operators of the host
    bool hasBackward = false;
    bool hasOptimizer = false;
    bool hasSequenceParallelism = false;
    FoundDegrees degrees;
    std::vector<GroupUse> groups;
    StructureEvidence evidence = StructureEvidence::None;
    /// Why no other structure can be made of this one (FindObstacle), a sentence; empty: nothing is
    /// against it. It is a note, too.
    std::string obstacle;
    double confidence = 0;          ///< the least share of kernels that fit over the ranks: 0 to 1
    std::vector<std::string> notes; ///< what does not fit, and which hint would help; sentences

    bool HasLayers() const
    {
        return layers > 0;
    }
};

} // namespace nadi
