// SPDX-License-Identifier: GPL-2.0-only
// Jobs that were damaged: what is found of their structure, and other configurations of them.
#include "common/error.h"
#include "tests/fuzz/fuzz-target.h"
#include "tests/support/model-bench.h"
#include "workload/engine/job-check.h"
#include "workload/tools/analysis/breakdown.h"
#include "workload/tools/analysis/collective-times.h"
#include "workload/tools/analysis/expert-exchanges.h"
#include "workload/tools/analysis/recorded-path.h"
#include "workload/tools/fitting/kernel-fit.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/tools/structure/structure-json.h"
#include "workload/tools/structure/task-order.h"
#include "workload/what-if/graph-copy.h"
#include "workload/what-if/what-if-settings.h"
#include "workload/what-if/what-if.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace nadi::fuzz
{

namespace
{

/// The jobs that lines `job N` stand for. All are small.
std::vector<Workload>
MakeJobs()
{
    const std::vector<test::ModelValues> variants{
        {{"batch", "2"}},
        {{"tp", "2"}, {"dp", "2"}, {"batch", "4"}},
        {{"pp", "2"}, {"dp", "2"}, {"batch", "6"}},
        {{"pp", "4"}, {"batch", "4"}, {"schedule", "gpipe"}},
        {{"pp", "2"}, {"chunks", "2"}, {"batch", "4"}, {"schedule", "interleaved"}},
        {{"dp", "4"}, {"zero", "1"}, {"batch", "4"}},
        {{"tp", "2"}, {"sp", "on"}, {"recompute", "full"}, {"batch", "2"}},
        {{"ep", "2"}, {"dp", "4"}, {"batch", "4"}, {"experts", "4"}, {"top-k", "2"}},
        {{"pp", "2"},
         {"ep", "2"},
         {"dp", "2"},
         {"batch", "8"},
         {"experts", "4"},
         {"top-k", "1"},
         {"shared-experts", "1"},
         {"zero", "3"}},
        {{"cp", "2"}, {"dp", "2"}, {"batch", "4"}},
        {{"phase", "decode"}, {"tp", "2"}, {"batch", "2"}},
        {{"pp", "2"},
         {"dense-layers", "2"},
         {"batch", "4"},
         {"experts", "4"},
         {"top-k", "1"},
         {"expert-ffn", "32"}},
        {{"weights", "streamed"}, {"dp", "2"}, {"batch", "4"}}};
    std::vector<Workload> jobs;
    for (test::ModelValues values : variants)
    {
        uint32_t ranks = 1;
        for (const char* axis : {"tp", "pp", "dp", "cp"})
        {
            ranks *= values.contains(axis) ? static_cast<uint32_t>(std::stoul(values[axis])) : 1;
        }
        values.merge(test::ModelValues{{"layers", "4"},
                                       {"hidden", "64"},
                                       {"heads", "4"},
                                       {"sequence", "32"},
                                       {"vocabulary", "128"},
                                       {"micro-batch", "1"}});
        jobs.push_back(test::MakeModelJob("transformer", values, {ranks}));
    }
    return jobs;
}

/// Tasks of a rank that are repeated; more take long.
constexpr size_t MOST_REPEATED = 2000;

/// A graph that is written again with damage: a task that is gone, comes twice, stands elsewhere,
/// or is another; or with all of its tasks again.
class GraphDamage
{
  public:
    explicit GraphDamage(const ExecutionGraph& graph)
        : m_graph(graph)
    {
        const std::vector<std::vector<uint32_t>> parents = FindParents(graph);
        for (uint32_t node = 0; node < graph.NodeCount(); ++node)
        {
            Task& task = m_tasks.emplace_back(Task{CopyNode(graph, node), {}});
            for (const uint32_t parent : parents[node])
            {
                task.parents.push_back(graph.Node(parent).id);
            }
        }
    }

    void Apply(const std::string& what, uint64_t at, uint64_t value, const std::string& text)
    {
        if (m_tasks.empty())
        {
            return;
        }
        const size_t place = at % m_tasks.size();
        const size_t other = value % m_tasks.size();
        Task& task = m_tasks[place];
        if (what == "drop")
        {
            m_tasks.erase(m_tasks.begin() + static_cast<std::ptrdiff_t>(place));
        }
        else if (what == "double")
        {
            m_tasks.push_back(task);
            m_tasks.back().copy.node.id = 1'000'000 + m_tasks.size();
        }
        else if (what == "swap")
        {
            std::swap(task, m_tasks[other]);
        }
        else if (what == "after")
        {
            task.parents.push_back(m_tasks[other].copy.node.id);
        }
        else if (what == "launch")
        {
            Launch(value);
        }
        else if (what == "free")
        {
            task.parents.clear();
        }
        else if (what == "repeat")
        {
            Repeat();
        }
        else
        {
            Change(task.copy, what, value, text);
        }
    }

    ExecutionGraph Build()
    {
        ExecutionGraphBuilder builder(m_graph.Source());
        AddGroups(m_graph, builder);
        for (const Task& task : m_tasks)
        {
            AddCopy(task.copy, task.parents, builder);
        }
        return builder.Build();
    }

  private:
    struct Task
    {
        NodeCopy copy;
        std::vector<uint64_t> parents;
    };

    /// What the rank does once more, behind the last of its tasks: a second iteration.
    void Repeat()
    {
        const size_t count = m_tasks.size();
        if (count > MOST_REPEATED)
        {
            return;
        }
        const uint64_t last = m_tasks.back().copy.node.id;
        std::map<uint64_t, uint64_t> again; // by id
        for (size_t task = 0; task < count; ++task)
        {
            again[m_tasks[task].copy.node.id] = 3'000'000 + count + task;
        }
        for (size_t task = 0; task < count; ++task)
        {
            Task repeated = m_tasks[task];
            repeated.copy.node.id = again[repeated.copy.node.id];
            for (uint64_t& parent : repeated.parents)
            {
                const auto found = again.find(parent);
                parent = found == again.end() ? last : found->second;
            }
            if (repeated.parents.empty())
            {
                repeated.parents.push_back(last);
            }
            m_tasks.push_back(std::move(repeated));
        }
    }

    /// Puts an operator of the host before each task, which launches it. So many in turn are of one
    /// of two threads, and the first of them waits for the task before.
    void Launch(uint64_t inTurn)
    {
        std::vector<Task> launched;
        for (Task& task : m_tasks)
        {
            const uint64_t number = launched.size() / 2;
            Task& launch = launched.emplace_back();
            launch.copy.name = "launch";
            launch.copy.node.id = 2'000'000 + number;
            launch.copy.node.type = NodeType::Compute;
            launch.copy.node.isCpu = true;
            launch.copy.node.stream = 1 + static_cast<uint32_t>(number / (1 + inTurn % 16) % 2);
            if (number > 0)
            {
                launch.parents.push_back(launch.copy.node.id - 1);
            }
            if (number > 0 && number % (1 + inTurn % 16) == 0)
            {
                launch.parents.push_back(launched[launched.size() - 2].copy.node.id);
            }
            task.parents.push_back(launch.copy.node.id);
            launched.push_back(std::move(task));
        }
        m_tasks = std::move(launched);
    }

    void Change(NodeCopy& copy, const std::string& what, uint64_t value, const std::string& text)
    {
        if (what == "name")
        {
            copy.name = text;
        }
        else if (what == "size")
        {
            copy.node.size = value;
        }
        else if (what == "operations")
        {
            copy.node.operations = value;
        }
        else if (what == "duration")
        {
            copy.node.durationPs = static_cast<int64_t>(value >> 2);
        }
        else if (what == "host")
        {
            copy.node.isCpu = value % 2 == 0;
        }
        else if (what == "group" && copy.node.type == NodeType::Collective)
        {
            copy.node.group = static_cast<uint32_t>(value % m_graph.GroupNames().size());
        }
        else if (what == "collective" && copy.node.type == NodeType::Collective)
        {
            copy.node.collective =
                value % 2 == 0 ? CollectiveType::AllReduce : CollectiveType::AllGather;
        }
    }

    const ExecutionGraph& m_graph;
    std::vector<Task> m_tasks;
};

/// Whether a setting has a number that is too large to wait for.
bool
IsLarge(const std::string& setting)
{
    uint32_t digits = 0;
    for (const char letter : setting)
    {
        digits = std::isdigit(static_cast<unsigned char>(letter)) != 0 ? digits + 1 : 0;
        if (digits > 2)
        {
            return true;
        }
    }
    return false;
}

/// Starts and scopes of nodes, as a recording has them. Without lines of either there are none.
class RecordLines
{
  public:
    /// The rest of a line: a node, a start, and the name of a scope.
    void Add(const std::string& what, std::istringstream& words)
    {
        uint64_t node = 0;
        int64_t start = 0;
        std::string scope;
        words >> node >> start;
        std::getline(words, scope);
        if (what == "start")
        {
            m_starts[node] = start >> 2; // ends of nodes stay within 64 bits
        }
        else
        {
            m_scopes[node] = ReadScope({scope});
        }
    }

    std::vector<RecordedOrder> MakeOrders(const Workload& job) const
    {
        std::vector<RecordedOrder> orders;
        for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
        {
            RecordedOrder& order = orders.emplace_back();
            const uint32_t nodes = job.GraphOf(RankId{rank}).NodeCount();
            order.startNanos.resize(m_starts.empty() ? 0 : nodes);
            order.scopes.resize(m_scopes.empty() ? 0 : nodes);
            for (uint32_t node = 0; node < order.startNanos.size(); ++node)
            {
                order.startNanos[node] = int64_t{node} * 1000;
            }
            for (const auto& [node, start] : m_starts)
            {
                order.startNanos[node % std::max(1U, nodes)] = start;
            }
            for (const auto& [node, scope] : m_scopes)
            {
                order.scopes[node % std::max(1U, nodes)] = scope;
            }
        }
        return orders;
    }

  private:
    std::map<uint64_t, int64_t> m_starts;
    std::map<uint64_t, NodeScope> m_scopes;
};

/// Of orders by rank; ranks that share a graph have that of the first of them.
std::vector<RecordedOrder>
OrdersOfGraphs(const Workload& job, const std::vector<RecordedOrder>& orders)
{
    std::vector<RecordedOrder> ofGraphs(job.graphs.size());
    for (uint32_t rank = job.RankCount(); rank-- > 0;)
    {
        ofGraphs[job.graphOfRank[rank]] = orders[rank];
    }
    return ofGraphs;
}

/// All that `nadi trace analyze` and `fit` ask of a job.
void
Analyse(const Workload& job, const std::vector<RecordedOrder>& orders)
{
    const CallWaits waits = SeparateWaits(job, orders);
    std::vector<ExpertExchange> exchanges = FindExpertExchanges(job);
    PlaceExchanges(FindStructure(job, OrdersOfGraphs(job, orders), {}), exchanges);
    KernelSamples samples;
    try
    {
        for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
        {
            const ExecutionGraph& graph = job.GraphOf(RankId{rank});
            samples.AddRank(graph);
            const TimeBreakdown parts = FindBreakdown(graph, orders[rank]);
            const auto isShare = [](double share) { return share >= 0 && share <= 1; };
            Require(std::ranges::all_of(parts.busy, isShare), "busy is a share of an interval");
            FindRecordedPath(graph, orders[rank], waits.ofRank[rank]);
        }
        SummariseCollectives(job, orders, waits);
        FitKernels(samples, {}, "fuzz");
    }
    catch (const ConfigError&)
    {
        return; // nothing was recorded; what remains of the target needs no times
    }
}

class WhatIfFuzz : public FuzzTarget
{
  public:
    static constexpr const char* Help =
        "Lines: job N; set KEY=VALUE; pattern REGEX; drop, double, swap, after, free, name, size, "
        "operations, duration, host, launch, repeat, group or collective, each with a node, a "
        "number and a text; "
        "start or scope, likewise.";

    WhatIfFuzz()
        : m_jobs(MakeJobs())
    {
    }

    void Read(const std::string& input) override
    {
        std::istringstream lines(input);
        std::string line;
        m_records = {};
        Workload job = m_jobs.front();
        std::vector<std::string> settings;
        StructureHints hints;
        while (std::getline(lines, line))
        {
            ReadLine(line, job, settings, hints);
        }
        const std::vector<RecordedOrder> orders = m_records.MakeOrders(job);
        Analyse(job, orders);
        std::vector<RecordedOrder> ordersOfGraphs = OrdersOfGraphs(job, orders);
        for (size_t graph = 0; graph < job.graphs.size(); ++graph)
        {
            PutInProgramOrder(job.graphs[graph], ordersOfGraphs[graph]);
        }
        JobStructure structure = FindStructure(job, ordersOfGraphs, hints);
        FormatStructureJson(structure, job);
        structure.obstacle.clear(); // edits hold for jobs that do not fit together, too
        const WhatIfJob same = ApplyWhatIf(job, structure, {});
        Require(same.changes.empty(), "without an edit nothing changes");
        const WhatIf wish = ParseWhatIf(settings);
        const WhatIfJob made = ApplyWhatIf(job, structure, wish);
        FormatStructureJson(FindStructure(made.job, {}, hints), made.job);
        CheckJob(made.job);
    }

  private:
    void ReadLine(const std::string& line,
                  Workload& job,
                  std::vector<std::string>& settings,
                  StructureHints& hints)
    {
        std::istringstream words(line);
        std::string what;
        words >> what;
        if (what == "job")
        {
            uint64_t number = 0;
            words >> number;
            job = m_jobs[number % m_jobs.size()];
        }
        else if (what == "set" || what == "pattern")
        {
            std::string text;
            words >> text;
            if (what == "pattern")
            {
                hints.layerPattern = text;
            }
            else if (!IsLarge(text))
            {
                settings.push_back(text);
            }
        }
        else if (what == "start" || what == "scope")
        {
            m_records.Add(what, words);
        }
        else
        {
            uint64_t at = 0;
            uint64_t value = 0;
            std::string text;
            words >> at >> value;
            std::getline(words, text);
            // Only some ranks are damaged where they share no graph.
            ExecutionGraph& graph = job.graphs[at % job.graphs.size()];
            GraphDamage damage(graph);
            damage.Apply(what, at, value, text);
            graph = damage.Build();
        }
    }

    std::vector<Workload> m_jobs;
    RecordLines m_records;
};

NADI_REGISTER(FuzzTarget, WhatIfFuzz, "what-if");

} // namespace

} // namespace nadi::fuzz
