// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/synthesis/trace-model.h"

#include "common/error.h"
#include "workload/engine/job-check.h"
#include "workload/tools/synthesis/dependency-distances.h"
#include "workload/tools/synthesis/job-sequence.h"
#include "workload/tools/synthesis/sequence-model.h"

#include <algorithm>
#include <optional>

namespace nadi
{

namespace
{

using Step = JobSequence::Step;

/// Walks the sequences of the ranks and collects what the model is fitted to.
class ModelLearner
{
  public:
    explicit ModelLearner(const Workload& workload)
        : m_workload(workload)
        , m_sequence(SequenceJob(workload))
    {
    }

    TraceModel Learn()
    {
        FindClasses();
        for (uint32_t rank = 0; rank < m_workload.RankCount(); ++rank)
        {
            WalkRank(rank);
        }
        FitClasses();
        FitSeries();
        m_model.gapLengths = m_gaps.Fit();
        for (auto& [before, classes] : m_successors)
        {
            m_model.successors.emplace(before, ValueModel::Keep(std::move(classes)));
        }
        for (auto& [key, patterns] : m_dependencies)
        {
            m_model.dependencies.emplace(key, ValueModel::Keep(std::move(patterns)));
        }
        m_model.patterns = m_patterns.Take();
        // Order: before the master trace moves into the model.
        m_model.callsOfRank = ListCallsOfRanks(m_sequence.master);
        m_model.master = std::move(m_sequence.master);
        return std::move(m_model);
    }

  private:
    /// A run of nodes of one class.
    struct Run
    {
        uint32_t nodeClass = TraceModel::START;
        uint64_t length = 0;
    };

    const ExecutionGraph& GraphOf(uint32_t rank) const
    {
        return m_workload.GraphOf(RankId{rank});
    }

    /// Called twice for each step: first it fills the table, and in the walk it finds the number
    /// again.
    uint32_t FindClass(uint32_t rank, const Step& step)
    {
        const bool isCall = step.call != JobSequence::NO_CALL;
        const MasterCall* const call = isCall ? &m_sequence.master.calls[step.call] : nullptr;
        return m_table.Find(ClassOf(GraphOf(rank).Node(step.node), call));
    }

    void FindClasses()
    {
        bool isEmpty = true;
        for (uint32_t rank = 0; rank < m_workload.RankCount(); ++rank)
        {
            for (const Step& step : m_sequence.steps[rank])
            {
                FindClass(rank, step);
                isEmpty = false;
            }
        }
        if (isEmpty)
        {
            throw ConfigError(GraphOf(0).Source(),
                              "the traces have no node, so there are no statistics of them");
        }
        // All classes have to be known before the walk, as each of them begins the samples of every
        // rank (BeginRank).
        for (uint32_t number = 0; number < m_table.Classes().size(); ++number)
        {
            ClassModel& model = m_model.classes.emplace_back();
            model.nodeClass = m_table.Classes()[number];
            model.lane = m_table.LaneOf(number);
        }
        m_runLengths.resize(m_model.classes.size());
    }

    /// One walk collects everything: samples of each class, gaps between calls, runs of classes,
    /// and what nodes wait for, by their class and that of the node before.
    void WalkRank(uint32_t rank)
    {
        const ExecutionGraph& graph = GraphOf(rank);
        DependencyDistances distances(graph);
        for (ClassModel& model : m_model.classes)
        {
            model.recorded.BeginRank();
        }
        m_gaps.Begin();
        m_model.classesOfCall.emplace_back();
        m_run = {};
        uint32_t before = TraceModel::START;
        for (const Step& step : m_sequence.steps[rank])
        {
            const uint32_t nodeClass = FindClass(rank, step);
            m_model.classes[nodeClass].recorded.Add(QuantitiesOf(graph.Node(step.node)));
            const uint32_t pattern =
                m_patterns.Find(distances.Take(step.node, m_table.LaneOf(nodeClass)));
            m_dependencies[{nodeClass, before}].push_back(pattern);
            // This stands in for pairs of classes that a drawn sequence has and the recording has
            // not.
            m_dependencies[{nodeClass, TraceModel::ANY}].push_back(pattern);
            step.call != JobSequence::NO_CALL ? EndGap(nodeClass) : ContinueGap(nodeClass);
            before = nodeClass;
        }
        EndGap(std::nullopt);
    }

    /// At a call of that class, or at the end of the trace. A gap may be empty, as between two
    /// calls in a row.
    void EndGap(std::optional<uint32_t> callClass)
    {
        // A call ends the gap but not the run, which may go on after the call.
        m_gaps.Add(m_gap);
        m_gap = 0;
        if (callClass)
        {
            m_model.classesOfCall.back().push_back(*callClass);
            return;
        }
        EndRun();
    }

    void EndRun()
    {
        if (m_run.length > 0)
        {
            m_runLengths[m_run.nodeClass].push_back(m_run.length);
        }
    }

    void ContinueGap(uint32_t nodeClass)
    {
        ++m_gap;
        if (m_run.nodeClass == nodeClass)
        {
            ++m_run.length;
            return;
        }
        EndRun();
        m_successors[m_run.nodeClass].push_back(nodeClass);
        m_successors[TraceModel::ANY].push_back(nodeClass);
        m_run = {nodeClass, 1};
    }

    /// The first quantity that is not constant tells how values follow one another. The others
    /// stand at equal places in their distributions (QuantityDraws), so they need no correlation of
    /// their own.
    void FitClasses()
    {
        for (size_t index = 0; index < m_model.classes.size(); ++index)
        {
            ClassModel& model = m_model.classes[index];
            model.runLengths = ValueModel::Fit(std::move(m_runLengths[index]));
            bool isLed = false;
            for (const NodeQuantity quantity : NODE_QUANTITIES)
            {
                ValueModel& fitted = model.quantities[static_cast<size_t>(quantity)];
                fitted = ValueModel::Fit(model.recorded.Values(quantity));
                if (!isLed && !fitted.IsConstant())
                {
                    model.latentCorrelation =
                        FitLatentCorrelation(model.recorded.Values(quantity),
                                             model.recorded.Sequences(quantity),
                                             fitted.Unit());
                    model.leading = quantity;
                    isLed = true;
                }
            }
        }
    }

    /// The sizes of a channel's calls of one series.
    using ChannelSizes = std::map<uint32_t, std::vector<uint64_t>>;

    /// Sizes of calls are fitted by series and not by class, as all members of a call need one
    /// size.
    void FitSeries()
    {
        std::vector<ChannelSizes> sizes(m_sequence.master.seriesCount); // by series
        for (const MasterCall& call : m_sequence.master.calls)
        {
            // A receive has the size of its send.
            if (call.type != NodeType::Receive)
            {
                std::vector<uint64_t>& ofChannel = sizes[call.series][call.channel];
                ofChannel.resize(std::max<size_t>(ofChannel.size(), call.number + 1));
                // Where members name different sizes, the largest stands for all, as one size is
                // drawn for a call.
                ofChannel[call.number] = *std::max_element(call.sizes.begin(), call.sizes.end());
            }
        }
        for (const ChannelSizes& ofSeries : sizes)
        {
            m_model.series.push_back(FitOneSeries(ofSeries));
        }
    }

    /// All channels of a family make equally many calls of a series, so the first one tells the
    /// length. `sizes` is not empty: a series of messages has sends, too.
    static SeriesModel FitOneSeries(const ChannelSizes& sizes)
    {
        SequenceValues values;
        const std::vector<uint64_t>& first = sizes.begin()->second;
        SeriesModel model{
            .sizes = {}, .length = first.size(), .channels = sizes.size(), .isShared = true};
        for (const auto& [channel, ofChannel] : sizes)
        {
            values.Begin();
            for (const uint64_t size : ofChannel)
            {
                values.Add(size);
            }
            model.isShared = model.isShared && ofChannel == first;
        }
        model.sizes = values.Fit();
        return model;
    }

    const Workload& m_workload;
    JobSequence m_sequence;
    ClassTable m_table;
    TraceModel m_model;
    std::vector<std::vector<uint64_t>> m_runLengths; // by class
    SequenceValues m_gaps;
    std::map<uint32_t, std::vector<uint64_t>> m_successors;
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint64_t>> m_dependencies;

    PatternTable m_patterns;

    // Of the walk through a rank:
    Run m_run;
    uint64_t m_gap = 0;
};

} // namespace

TraceModel
LearnTraceModel(const Workload& workload)
{
    CheckJob(workload);
    return ModelLearner(workload).Learn();
}

} // namespace nadi
