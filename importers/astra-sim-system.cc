// SPDX-License-Identifier: GPL-2.0-only
#include "importers/astra-sim-system.h"

#include "common/unit-parser.h"
#include "importers/astra-sim-collectives.h"
#include "importers/import-values.h"

#include <fmt/format.h>

#include <map>

namespace nadi
{

namespace
{

/// Two reads and a write of a reduction's bytes.
constexpr double ACCESSES_OF_A_REDUCTION = 3;

/// What the source's constructor sets before it reads the file.
const std::vector<SourceDefault> SYSTEM_DEFAULTS{{"endpoint-delay", "10"},
                                                 {"active-chunks-per-dimension", "1"},
                                                 {"preferred-dataset-splits", "1"},
                                                 {"collective-optimization", "baseline"},
                                                 {"intra-dimension-scheduling", "FIFO"},
                                                 {"inter-dimension-scheduling", "ascending"},
                                                 {"local-mem-bw", "0"},
                                                 {"local-mem-latency", "0"},
                                                 {"roofline-enabled", "0"},
                                                 {"replay-only", "0"}};

/// Keys of either generation that set nothing, and the reason that the user is given.
const std::map<std::string, std::string> SYSTEM_KEYS_WITHOUT_COUNTERPART{
    {"boost-mode", "it simulates a part of the NPUs for speed; here all of them are"},
    {"L", "bus of the NPU; see endpoint-delay"},
    {"o", "bus of the NPU; see endpoint-delay"},
    {"g", "bus of the NPU; see endpoint-delay"},
    {"G", "bus of the NPU; see endpoint-delay"},
    {"model-shared-bus", "bus of the NPU; see endpoint-delay"},
    {"frequency", "time has no cycles here; those of the file are taken as 1 ns"},
    {"packet-routing", "messages take network routes"},
    {"injection-policy", "see system.sends-in-flight"},
    {"collective-implementation", "write the implementation of each collective"},
    {"trace-enabled", "write output.timeline: on"},
    {"track-local-mem", "memory in use is not tracked"},
    {"local-mem-trace-filename", "memory in use is not tracked"},
    {"seprate-log", "results are files of their own"}};

/// Maps the keys in the order of the file, the defaults behind them.
///
/// What several keys decide together is mapped after all of them: the model of compute, algorithms
/// from files, the number of sends at a time, and the note on collectives for which the file has no
/// algorithm.
class SystemImport
{
  public:
    SystemImport(const SourceDefaults& defaults, const ImportedNetwork& network, ImportDraft& draft)
        : m_defaults(defaults)
        , m_root(defaults.Complete())
        , m_network(network)
        , m_draft(draft)
    {
    }

    void Run()
    {
        for (const ConfigNode& node : m_root.children)
        {
            Import(node);
        }
        ImportCompute();
        ImportCustomAlgorithms(); // after the native ones, which they replace
        m_windows.Map(m_draft);
        NoteMissingAlgorithms();
    }

  private:
    using Handler = void (SystemImport::*)(const ConfigNode&);
    static const std::map<std::string, Handler>& Handlers();

    void Import(const ConfigNode& node);
    void ImportCompute();
    void ImportCustomAlgorithms();
    void NoteMissingAlgorithms();

    void ImportPolicy(const ConfigNode& node)
    {
        // The policy is read only so that a word that the source does not know is refused.
        const std::string ofEach =
            Translate(node,
                      {{"LIFO", ""},
                       {"FIFO", ""},
                       {"EXPLICIT",
                        "; comm_priority is read, but of nodes that are ready at once the smaller "
                        "one starts first here, and the larger one there"}});
        m_draft.Drop(node,
                     "it orders collectives, which run side by side here, or with "
                     "system.concurrent-collectives: 1 first come, first served; the chunks of "
                     "one go by system.intra-dimension, there and here first in, first out" +
                         ofEach);
    }

    void ImportEndpointDelay(const ConfigNode& node)
    {
        m_draft.Map(node, "system.endpoint-delay", ToText(ReadNanoseconds(node)));
    }

    void ImportActiveChunks(const ConfigNode& node)
    {
        m_draft.Map(node, "system.chunks-in-flight", ReadWholeNumber(node));
    }

    void ImportSplits(const ConfigNode& node)
    {
        m_draft.Map(node, "system.chunks", ReadWholeNumber(node));
    }

    void ImportAlgorithms(const ConfigNode& node)
    {
        // What a file replaces sends nothing, so its windows are none.
        AstraSimWindows replaced;
        const bool isReplaced = m_root.Find(node.key + "-custom") != nullptr;
        ImportAstraSimAlgorithms(node, m_network, isReplaced ? replaced : m_windows, m_draft);
    }

    /// The map is of the same form here and there.
    void ImportNodeAlgorithms(const ConfigNode& node)
    {
        m_draft.Map(node,
                    "system.collectives.per-node",
                    node.Scalar("the path of a YAML file of ids of nodes and prefixes of traces"));
    }

    void ImportOptimization(const ConfigNode& node)
    {
        m_draft.Map(
            node,
            "system.hierarchy",
            Translate(node, {{"localBWAware", "scatter-gather"}, {"baseline", "per-dimension"}}));
    }

    void ImportIntraDimension(const ConfigNode& node)
    {
        const std::string policy = Translate(node,
                                             {{"FIFO", "fifo"},
                                              {"SCF", "smallest-first"},
                                              {"smallestFirst", "smallest-first"},
                                              {"RG", ""},
                                              {"lessRemainingPhaseFirst", ""}});
        MapPolicy(node, "system.intra-dimension", policy, "fifo");
    }

    void ImportInterDimension(const ConfigNode& node)
    {
        const std::string policy = Translate(node,
                                             {{"baseline", "baseline"},
                                              {"ascending", "baseline"},
                                              {"themis", "themis"},
                                              {"themisFlex", "themis"},
                                              {"offlineGreedy", "themis"},
                                              {"offlineGreedyFlex", "themis"},
                                              {"online", ""},
                                              {"roundRobin", ""}});
        MapPolicy(node, "system.inter-dimension", policy, "baseline");
    }

    /// Where a policy has no counterpart, it is empty: nothing is set, and Nadi's default holds.
    void MapPolicy(const ConfigNode& node,
                   const char* path,
                   const std::string& policy,
                   const std::string& byDefault)
    {
        if (policy.empty())
        {
            return m_draft.Drop(node, byDefault + " is taken");
        }
        m_draft.Map(node, path, policy);
    }

    void ImportLocalBandwidth(const ConfigNode& node)
    {
        if (ReadNumber(node) == 0)
        {
            return ImportNoBandwidth(node);
        }
        // A reduction of n bytes moves 3 n through the memory, so it proceeds at a third of the
        // memory's rate. ImportCompute gives the whole rate to a roofline, too.
        const std::string third = GigabytesText(node, ACCESSES_OF_A_REDUCTION);
        m_draft.Set("system.memory.local.bandwidth", GigabytesText(node, 1));
        m_draft.Set("system.reduction-bandwidth", third);
        m_draft.Note(node,
                     "system.memory.local.bandwidth: " + GigabytesText(node, 1) +
                         ", system.reduction-bandwidth: " + third +
                         " (GB of 10^9 bytes; a reduction reads twice and writes once)");
    }

    /// Without a rate, the source charges nothing for reductions.
    void ImportNoBandwidth(const ConfigNode& node)
    {
        m_draft.Set("system.reduction-bandwidth", "none");
        m_draft.Note(node,
                     "system.reduction-bandwidth: none; system.memory.local.bandwidth, which "
                     "cannot be 0, has Nadi's default");
    }

    void ImportLocalLatency(const ConfigNode& node)
    {
        m_draft.Map(node, "system.memory.local.latency", ToText(ReadNanoseconds(node)));
    }

    void ImportRemoteBandwidth(const ConfigNode& node)
    {
        if (ReadNumber(node) == 0)
        {
            return m_draft.Drop(node, "0 says that there is none");
        }
        m_draft.Map(node, "system.memory.remote.bandwidth", GigabytesText(node, 1));
    }

    void ImportRemoteLatency(const ConfigNode& node)
    {
        m_draft.Map(node, "system.memory.remote.latency", ToText(ReadNanoseconds(node)));
    }

    void ImportReductionDelay(const ConfigNode& node)
    {
        m_draft.Drop(node, "see system.reduction-bandwidth");
    }

    /// For keys that Run maps at its end (ImportCompute, ImportCustomAlgorithms). With a handler
    /// they are known keys.
    void ImportLater(const ConfigNode&)
    {
    }

    bool IsOn(const char* key) const
    {
        const ConfigNode* node = m_root.Find(key);
        return node != nullptr && ReadFlag(*node);
    }

    const ConfigNode& RequireFor(const ConfigNode& roofline, const char* key) const
    {
        const ConfigNode* node = m_root.Find(key);
        // What the source takes by default does not count as given: a roofline with its bandwidth
        // of 0 would never end a kernel.
        const bool isDefault = node != nullptr && !node->source->hasLines;
        if (node == nullptr || isDefault)
        {
            roofline.Fail(std::string("needs the key \"") + key + "\"");
        }
        return *node;
    }

    const SourceDefaults& m_defaults;
    const ConfigNode& m_root;
    const ImportedNetwork& m_network;
    ImportDraft& m_draft;
    AstraSimWindows m_windows;
};

const std::map<std::string, SystemImport::Handler>&
SystemImport::Handlers()
{
    static const std::map<std::string, Handler> handlers{
        {"scheduling-policy", &SystemImport::ImportPolicy},
        {"endpoint-delay", &SystemImport::ImportEndpointDelay},
        {"active-chunks-per-dimension", &SystemImport::ImportActiveChunks},
        {"preferred-dataset-splits", &SystemImport::ImportSplits},
        {"all-reduce-implementation", &SystemImport::ImportAlgorithms},
        {"all-reduce-implementation-custom", &SystemImport::ImportLater},
        {"all-gather-implementation", &SystemImport::ImportAlgorithms},
        {"all-gather-implementation-custom", &SystemImport::ImportLater},
        {"reduce-scatter-implementation", &SystemImport::ImportAlgorithms},
        {"reduce-scatter-implementation-custom", &SystemImport::ImportLater},
        {"all-to-all-implementation", &SystemImport::ImportAlgorithms},
        {"all-to-all-implementation-custom", &SystemImport::ImportLater},
        {"collective-optimization", &SystemImport::ImportOptimization},
        {"intra-dimension-scheduling", &SystemImport::ImportIntraDimension},
        {"inter-dimension-scheduling", &SystemImport::ImportInterDimension},
        {"local-mem-bw", &SystemImport::ImportLocalBandwidth},
        {"local-mem-latency", &SystemImport::ImportLocalLatency},
        {"remote-mem-bw", &SystemImport::ImportRemoteBandwidth},
        {"remote-mem-latency", &SystemImport::ImportRemoteLatency},
        {"local-reduction-delay", &SystemImport::ImportReductionDelay},
        {"per-node-custom-implementation", &SystemImport::ImportNodeAlgorithms},
        {"roofline-enabled", &SystemImport::ImportLater},
        {"peak-perf", &SystemImport::ImportLater},
        {"replay-only", &SystemImport::ImportLater}};
    return handlers;
}

void
SystemImport::Import(const ConfigNode& node)
{
    const auto handler = Handlers().find(node.key);
    if (handler != Handlers().end())
    {
        return (this->*handler->second)(node);
    }
    const auto reason = SYSTEM_KEYS_WITHOUT_COUNTERPART.find(node.key);
    if (reason != SYSTEM_KEYS_WITHOUT_COUNTERPART.end())
    {
        return m_draft.Drop(node, reason->second);
    }
    std::vector<std::string> known;
    for (const auto& [key, method] : Handlers())
    {
        known.push_back(key);
    }
    m_draft.DropUnknown(node, known);
}

/// A roofline of peak-perf and local-mem-bw, or the durations of the trace; and whether
/// communication takes those, too.
void
SystemImport::ImportCompute()
{
    // The source replays the durations of the trace even where its roofline is on, and those of
    // collectives, sends and receives too.
    const bool isReplay = IsOn("replay-only");
    const bool isRoofline = IsOn("roofline-enabled") && !isReplay;
    if (isReplay)
    {
        m_draft.Map(*m_root.Find("replay-only"), "workload.communication", "recorded");
    }
    for (const char* key : {"roofline-enabled", "replay-only"})
    {
        if (const ConfigNode* node = m_root.Find(key))
        {
            m_draft.Map(*node, "system.compute.model", isRoofline ? "roofline" : "trace");
        }
    }
    const ConfigNode* peak = m_root.Find("peak-perf");
    if (!isRoofline)
    {
        if (peak != nullptr)
        {
            m_draft.Drop(*peak, "of the roofline, which is off");
        }
        return;
    }
    const ConfigNode& switchNode = *m_root.Find("roofline-enabled");
    const ConfigNode& bandwidth = RequireFor(switchNode, "local-mem-bw");
    peak = &RequireFor(switchNode, "peak-perf");
    m_draft.Map(*peak, "system.compute.peak", ToText(ReadFlopRate(*peak, TERA)));
    m_draft.Map(bandwidth, "system.compute.memory-bandwidth", GigabytesText(bandwidth, 1));
}

void
SystemImport::ImportCustomAlgorithms()
{
    for (const auto& [key, type] : AstraSimImplementationKeys())
    {
        if (const ConfigNode* const node = m_root.Find(key + "-custom"))
        {
            ImportAstraSimFiles(*node, type, m_draft);
        }
    }
}

/// There, a job with such a collective does not run.
void
SystemImport::NoteMissingAlgorithms()
{
    // With this key of 1.x the note would be wrong, and the key has a line of its own, which says
    // that it has no counterpart.
    const std::string common = "collective-implementation"; // of 1.x
    for (const auto& [key, type] : AstraSimImplementationKeys())
    {
        if (m_root.Find(key) == nullptr && m_root.Find(common) == nullptr &&
            m_root.Find(key + "-custom") == nullptr)
        {
            m_draft.Drop(m_defaults.MakeNode({key, "none"}),
                         fmt::format("the default of the shape is taken; there, a job with {} "
                                     "fails",
                                     ToText(type)));
        }
    }
}

} // namespace

void
ImportAstraSimSystem(const ConfigNode& root, const ImportedNetwork& network, ImportDraft& draft)
{
    const SourceDefaults defaults(root, SYSTEM_DEFAULTS);
    SystemImport(defaults, network, draft).Run();
}

} // namespace nadi
