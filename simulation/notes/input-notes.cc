// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/input-notes.h"

#include "common/text.h"
#include "network/backend-kind.h"
#include "network/equal-ways.h"
#include "network/packet/congestion-controls.h"
#include "network/packet/load-balancers.h"
#include "network/topology-generator.h"
#include "simulation/notes/host-bridge.h"
#include "simulation/notes/replay-notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace nadi
{

namespace
{

/// Over all graphs. A graph that several ranks share counts once.
template <class Predicate>
uint64_t
CountNodes(const Workload& workload, const Predicate& isCounted)
{
    uint64_t count = 0;
    for (const ExecutionGraph& graph : workload.graphs)
    {
        for (uint32_t index = 0; index < graph.NodeCount(); ++index)
        {
            count += isCounted(graph.Node(index)) ? 1 : 0;
        }
    }
    return count;
}

/// A trace taken out of a larger job looks like a job: what it communicates would vanish silently.
void
NoteLonelyCollectives(const Workload& workload, std::vector<std::string>& notes)
{
    // A node of the host takes its recorded time, whatever its type, so it communicates nothing.
    const auto isCollective = [](const ExecutionNode& node)
    { return node.type == NodeType::Collective && !node.isCpu; };
    const uint64_t count = workload.RankCount() == 1 ? CountNodes(workload, isCollective) : 0;
    if (count > 0 && !workload.replaysCommunication)
    {
        notes.push_back(fmt::format("the job has one rank: its collectives ({}) take no time; a "
                                    "larger job needs the traces of its other ranks",
                                    count));
    }
}

/// Generated traces count operations and leave the durations to the simulator.
void
NoteUntimedCompute(const Config& config, const Workload& workload, std::vector<std::string>& notes)
{
    if (config.system.compute.model != ComputeOptions::Model::Trace)
    {
        return;
    }
    const auto isUntimed = [](const ExecutionNode& node)
    { return node.type == NodeType::Compute && node.durationPs == 0 && node.operations > 0; };
    const uint64_t count = CountNodes(workload, isUntimed);
    if (count > 0)
    {
        notes.push_back(fmt::format("{} of the traces {} operations but no duration, and {} "
                                    "no time; write system.compute: {{model: roofline, ...}} to "
                                    "time {}",
                                    CountText(count, "compute node"),
                                    count == 1 ? "has" : "have",
                                    count == 1 ? "takes" : "take",
                                    count == 1 ? "it" : "them"));
    }
}

/// A roofline has nothing to go by where a trace gives durations alone, as recordings do.
void
NoteUncountedCompute(const Config& config,
                     const Workload& workload,
                     std::vector<std::string>& notes)
{
    const ComputeOptions& compute = config.system.compute;
    if (compute.model != ComputeOptions::Model::Roofline)
    {
        return;
    }
    const bool hasTable = compute.kernels.has_value();
    const auto isUncounted = [hasTable](const ExecutionNode& node)
    {
        const bool namesKernels = hasTable && node.peer != 0; // (ExecutionNode)
        return node.type == NodeType::Compute && !node.isCpu && node.durationPs > 0 &&
               node.operations == 0 && node.size == 0 && !namesKernels;
    };
    const uint64_t count = CountNodes(workload, isUncounted);
    if (count > 0)
    {
        notes.push_back(fmt::format("{} of the traces {} neither operations nor bytes: "
                                    "system.compute.model roofline leaves {} the recorded "
                                    "duration, which system.compute.scale can change",
                                    CountText(count, "compute node"),
                                    count == 1 ? "has" : "have",
                                    count == 1 ? "it" : "them"));
    }
}

/// Recorded traces and those of other tools rarely say which kernels they run.
void
NoteNamelessKernels(const Config& config, const Workload& workload, std::vector<std::string>& notes)
{
    const ComputeOptions& compute = config.system.compute;
    if (compute.efficiency == KernelEfficiency() && !compute.kernels)
    {
        return;
    }
    // In a compute node `peer` numbers its kernels, and 0 means that it names none (ExecutionNode).
    const auto isNameless = [](const ExecutionNode& node) {
        return node.type == NodeType::Compute && !node.isCpu && node.operations > 0 &&
               node.peer == 0;
    };
    const uint64_t count = CountNodes(workload, isNameless);
    if (count > 0)
    {
        notes.push_back(fmt::format("{} of the traces {} no kernel: "
                                    "system.compute.efficiency.other holds there, and no table has "
                                    "a time; give such nodes the attribute kernels",
                                    CountText(count, "compute node"),
                                    count == 1 ? "names" : "name"));
    }
}

/// A range that no send has a tag in is a slip.
void
NoteUnusedStreams(const Workload& workload, std::vector<std::string>& notes)
{
    for (const TagKind& range : workload.kindsOfTags)
    {
        const auto isMeant = [&range](const ExecutionNode& node)
        { return node.type == NodeType::Send && !node.isCpu && range.Has(node.tag); };
        if (CountNodes(workload, isMeant) == 0)
        {
            notes.push_back(fmt::format("workload.streams: no send has a tag from {} to {}; the "
                                        "entry for {} does nothing",
                                        range.first,
                                        range.last,
                                        ToText(range.kind)));
        }
    }
}

/// A job smaller than its network is valid, and may be a slip.
void
NoteUnusedNpus(uint32_t ranks, const Topology& topology, std::vector<std::string>& notes)
{
    const uint32_t npus = topology.NpuCount();
    if (ranks < npus && !topology.Placement().IsLinear())
    {
        notes.push_back(fmt::format("the job has {} on {} NPUs: those of workload.placement "
                                    "are used",
                                    CountText(ranks, "rank"),
                                    npus));
    }
    else if (ranks < npus)
    {
        notes.push_back(fmt::format("the job has {} on {} NPUs: the first {} used",
                                    CountText(ranks, "rank"),
                                    npus,
                                    ranks == 1 ? "is" : fmt::format("{} are", ranks)));
    }
}

/// Whether messages may take other ways than the best between NPUs (IdleParameter::isUnreached).
bool
MayGoFurther(const NetworkConfig& network)
{
    return network.inNetwork || !network.memories.empty() ||
           std::ranges::any_of(network.faults, &FaultSpec::isDown);
}

/// A key that was written for another form of the same network, or swept past what it is for.
void
NoteIdleParameters(const NetworkConfig& network, std::vector<std::string>& notes)
{
    if (!network.generator)
    {
        return;
    }
    // Parameters that are idle for one reason stand together.
    std::vector<std::pair<std::string, std::vector<std::string>>> keysOfReasons;
    for (const IdleParameter& idle : FindIdleParameters(*network.generator))
    {
        if (idle.isUnreached && MayGoFurther(network))
        {
            continue;
        }
        if (keysOfReasons.empty() || keysOfReasons.back().first != idle.why)
        {
            keysOfReasons.push_back({idle.why, {}});
        }
        keysOfReasons.back().second.push_back("network.topology." + idle.name);
    }
    for (const auto& [why, keys] : keysOfReasons)
    {
        notes.push_back(fmt::format(
            "{} {} no effect: {}", fmt::join(keys, ", "), keys.size() == 1 ? "has" : "have", why));
    }
}

/// How switches pass frames on is only seen where there are any.
void
NoteAbsentSwitches(const Config& config, const Topology& topology, std::vector<std::string>& notes)
{
    if (topology.SwitchCount() > 0)
    {
        return;
    }
    const PacketOptions& packet = config.network.packet;
    std::vector<std::string> keys;
    // Other backends than those with frames never heed it, which FindBackendNotes says.
    if (packet.switching == Switching::CutThrough && HasFrames(config.network.backend))
    {
        keys.emplace_back("switching");
    }
    if (packet.switchLatency != SimTime())
    {
        keys.emplace_back("switch-latency");
    }
    if (!keys.empty())
    {
        notes.push_back(fmt::format("network.packet.{} {} no effect: the network has no switches",
                                    fmt::join(keys, ", network.packet."),
                                    keys.size() == 1 ? "has" : "have"));
    }
}

/// Ranks reach the memories of the network by messages only. With a formula there are none.
void
NoteIdleMemories(const Config& config, std::vector<std::string>& notes)
{
    const bool isFormula = config.system.memory.through == MemoryOptions::Through::Formula;
    if (isFormula && !config.network.memories.empty())
    {
        notes.emplace_back(
            "network.memories has no effect: a formula says how long remote accesses "
            "take; write system.memory.remote: {through: network}");
    }
}

/// Whether ports mark frames because network.ns3 says so, where network.packet.ecn is off.
bool
MarksByNs3(const PacketOptions& packet)
{
    return std::ranges::any_of(packet.ns3,
                               [](const Ns3Attribute& set) {
                                   return set.name == "ns3::FabricPort::MarkMax" &&
                                          set.value != "0";
                               }); // 0: none is made
}

/// Where no port marks, no attribute that says which frames are marked matters.
void
NoteMarkAttributes(const PacketOptions& packet, std::vector<std::string>& notes)
{
    if (packet.ecn || MarksByNs3(packet))
    {
        return;
    }
    for (const Ns3Attribute& set : packet.ns3)
    {
        if (set.name == "ns3::FabricPort::MarkMin" ||
            set.name == "ns3::FabricPort::MarkProbability")
        {
            notes.push_back(fmt::format("{} of network.ns3 has no effect: no port marks frames; "
                                        "write network.packet.ecn: {{min: 400 KB, max: 1600 KB}}",
                                        set.name));
        }
    }
}

/// What a congestion control that acts on marks does where none is made.
std::string
DescribeUnmarkedControl(const CongestionControlInfo& control)
{
    return control.answersEveryFrame ? "no mark will make it slower, but its window may hold "
                                       "senders back, and each frame is acknowledged"
                                     : "it has no effect";
}

/// Some congestion controls live on ECN marks, the others do not look at them.
void
NoteMarks(const PacketOptions& packet, std::vector<std::string>& notes)
{
    const CongestionControlInfo& control = *FindCongestionControl(packet.congestionControl.name);
    if (control.needsMarks && !packet.ecn && !MarksByNs3(packet))
    {
        notes.push_back(fmt::format("{} acts on ECN marks, but ecn is off: {}; write "
                                    "network.packet.ecn: {{min: 400 KB, max: 1600 KB}}",
                                    control.name,
                                    DescribeUnmarkedControl(control)));
    }
    if (!control.needsMarks && packet.ecn)
    {
        notes.push_back(fmt::format("ecn is on, but congestion-control {} does not look at marks: "
                                    "they have no effect",
                                    control.name));
    }
}

/// Whether network.ns3 names an attribute that begins so, whatever its class.
bool
NamesAttribute(const PacketOptions& packet, const std::string& attribute)
{
    return std::ranges::any_of(packet.ns3,
                               [&attribute](const Ns3Attribute& set)
                               { return set.name.find("::" + attribute) != std::string::npos; });
}

/// Where network.ns3 sets more of the memories, the other keys do not tell what they do.
bool
HasUsualMemories(const PacketOptions& packet)
{
    return !NamesAttribute(packet, "BufferSize") && !NamesAttribute(packet, "Pfc");
}

/// Memories that pause have no use for the share that limits those that drop.
void
NoteIdleShare(const PacketOptions& packet, std::vector<std::string>& notes)
{
    const bool drops = packet.buffer && !packet.pfc;
    if (NamesAttribute(packet, "EgressAlpha") && HasUsualMemories(packet) && !drops)
    {
        notes.push_back(fmt::format("network.ns3 sets EgressAlpha, the share of a buffer that one "
                                    "egress may hold before frames are dropped; {}: it has no "
                                    "effect",
                                    packet.pfc ? "with pfc, senders are paused instead"
                                               : "network.packet.buffer is unlimited"));
    }
}

/// Any fault may lead to losses: one of the bandwidth too, where headrooms become too small.
void
NoteIdleRetries(const NetworkScene& scene, std::vector<std::string>& notes)
{
    const PacketOptions& packet = scene.packet;
    const bool canDrop = packet.buffer && (!packet.pfc || packet.pfc->headroom);
    if (NamesAttribute(packet, "RetryCount") && HasUsualMemories(packet) && !canDrop &&
        scene.faults.empty())
    {
        notes.emplace_back("network.ns3 sets RetryCount, but no frame of this network can be lost: "
                           "it has no effect");
    }
}

/// ECMP is the default, and nobody chose a default. Where a link goes down, several ways may be
/// left that are equally good.
void
NoteSinglePaths(const NetworkScene& scene, std::vector<std::string>& notes)
{
    const bool isChosen = scene.packet.loadBalancing.name != ECMP;
    const bool isSomeDown = std::ranges::any_of(scene.faults, &LinkFault::isDown);
    if (!isChosen || isSomeDown)
    {
        return;
    }
    const WayChoice choice = FindWayChoice(scene.topology, scene.routing);
    if (choice == WayChoice::None)
    {
        notes.push_back("there is one best way between any two nodes of this network: "
                        "load-balancing has no choice and no effect");
    }
    if (choice == WayChoice::AtSources)
    {
        notes.push_back("only NPUs that send have several equally good links in this network: a "
                        "queue pair keeps the one that ecmp gives it, and load-balancing, which "
                        "chooses where frames are forwarded, has no effect");
    }
}

} // namespace

std::vector<std::string>
FindInputNotes(const Config& config, const Topology& topology, const Workload& workload)
{
    std::vector<std::string> notes = topology.Notes();
    NoteLonelyCollectives(workload, notes);
    NoteUntimedCompute(config, workload, notes);
    NoteUncountedCompute(config, workload, notes);
    NoteNamelessKernels(config, workload, notes);
    NoteReplay(workload, notes);
    NoteUnusedStreams(workload, notes);
    NoteUnusedNpus(workload.RankCount(), topology, notes);
    NoteIdleParameters(config.network, notes);
    NoteAbsentSwitches(config, topology, notes);
    NoteIdleMemories(config, notes);
    NoteHostBridge(config, notes);
    return notes;
}

std::vector<std::string>
FindNetworkNotes(const NetworkScene& scene)
{
    std::vector<std::string> notes;
    NoteMarks(scene.packet, notes);
    NoteMarkAttributes(scene.packet, notes);
    NoteSinglePaths(scene, notes);
    NoteIdleShare(scene.packet, notes);
    NoteIdleRetries(scene, notes);
    return notes;
}

} // namespace nadi
