// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/generate-section.h"
#include "configuration/placement-codec.h"
#include "configuration/sections.h"
#include "configuration/serve-section.h"
#include "configuration/streams-section.h"
#include "configuration/what-if-section.h"
#include "network/topology-limits.h"

#include <limits>

namespace nadi
{

namespace
{

using Step = std::vector<CollectiveSpec>;

/// Every call is a node of the job's graph: more only eat memory.
constexpr uint32_t MOST_REPEATS = 1U << 20;

Codec<CollectiveType>
MakeTypeCodec()
{
    std::vector<std::pair<std::string_view, CollectiveType>> choices;
    for (const CollectiveType type : AllCollectiveTypes())
    {
        choices.emplace_back(ToText(type), type);
    }
    return MakeChoiceCodec(choices);
}

Section
DescribeCollective(CollectiveSpec& item)
{
    const Codec<SizeBasis> meaning =
        MakeChoiceCodec<SizeBasis>({{"shard", SizeBasis::Shard}, {"total", SizeBasis::Total}});
    return {
        MakeRequiredField("type", item.type, MakeTypeCodec(), "The type of the collective."),
        MakeField("size",
                  item.size,
                  MakeSizeCodec(),
                  "The size of the call, such as 64 MiB. Only a barrier has none."),
        MakeField("repeat",
                  item.repeat,
                  MakeCountCodec(1, MOST_REPEATS),
                  "How often the collective is called, each call after the one before has ended."),
        MakeField("size-means",
                  item.sizeBasis,
                  meaning,
                  "What the size of an all-gather, gather or scatter means: the shard of one rank "
                  "(shard), or "
                  "the data of all ranks (total), as nccl-tests counts."),
    };
}

/// Whether `size` must be given depends on `type`, which a section cannot say. So the key is
/// optional there, and asked for here.
Codec<CollectiveSpec>
MakeCollectiveCodec()
{
    Codec<CollectiveSpec> codec = MakeMappingCodec<CollectiveSpec>(&DescribeCollective);
    codec.schema = [schema = codec.schema]
    {
        Json json = schema.Get();
        json["properties"]["size"].erase("default"); // only a barrier has one
        return json;
    };
    codec.read = [read = codec.read](const ConfigNode& node)
    {
        const CollectiveSpec item = read(node);
        if (node.Find("size") == nullptr && item.type != CollectiveType::Barrier)
        {
            node.Fail("key \"size\" is missing; write a size such as 64 MiB");
        }
        return item;
    };
    return codec;
}

Json
MakeStepSchema(const Json& one, const Json& many)
{
    const Json collective{{"type", "all-gather"}, {"size", "1 MiB"}};
    Json several{{"type", "object"},
                 {"additionalProperties", false},
                 {"required", Json::array({"parallel"})}};
    several["properties"]["parallel"] = many;
    several["properties"]["parallel"].update(
        {{"description", "Collectives that start together."},
         {"examples", Json::array({Json::array({collective, collective})})}});
    return Json{{"anyOf", Json::array({one, several})}};
}

/// One collective, or `{parallel: [...]}`.
Codec<Step>
MakeStepCodec()
{
    const Codec<CollectiveSpec> one = MakeCollectiveCodec();
    const Codec<Step> many = MakeListCodec(one, "a list of collectives");
    Codec<Step> codec;
    codec.schema = [one, many] { return MakeStepSchema(one.schema.Get(), many.schema.Get()); };
    codec.read = [one, many](const ConfigNode& node) -> Step
    {
        if (node.Find("parallel") == nullptr)
        {
            return {one.read(node)};
        }
        // MakeMappingCodec would not do: a step is a list, and no structure with members for keys.
        Step step;
        ReadSection(
            node, {MakeRequiredField("parallel", step, many, "Collectives that start together.")});
        return step;
    };
    // A step of one collective means the same with and without `parallel`.
    codec.write = [one, many](const Step& step) {
        return step.size() == 1 ? one.write(step.front()) : Json{{"parallel", many.write(step)}};
    };
    return codec;
}

/// One step, or a list of them.
Codec<std::vector<Step>>
MakeStepsCodec()
{
    const Codec<Step> one = MakeStepCodec();
    const Codec<std::vector<Step>> many = MakeListCodec(one, "a list of collectives");
    Codec<std::vector<Step>> codec;
    codec.schema = [one, many]
    {
        return Json{{"title", "a collective, {parallel: [...]}, or a list of such steps"},
                    {"anyOf", Json::array({one.schema.Get(), many.schema.Get()})}};
    };
    codec.read = [one, many](const ConfigNode& node) -> std::vector<Step>
    {
        if (node.kind != ConfigNode::Kind::List)
        {
            return {one.read(node)};
        }
        if (node.children.empty())
        {
            node.Fail("is empty; write at least one collective");
        }
        return many.read(node);
    };
    codec.write = [one, many](const std::vector<Step>& steps)
    { return steps.size() == 1 ? one.write(steps.front()) : many.write(steps); };
    return codec;
}

/// The number of a rank in the largest job.
Codec<uint32_t>
MakeRankCodec()
{
    return MakeCountCodec(0, MOST_VERTICES - 1);
}

/// CountRanks of the simulation checks that the job has these ranks: here nobody knows how many
/// there are.
Section
DescribeFlow(FlowSpec& flow)
{
    return {
        MakeRequiredField("src", flow.source, MakeRankCodec(), "The rank that sends."),
        MakeRequiredField("dst", flow.destination, MakeRankCodec(), "The rank that receives."),
        MakeRequiredField(
            "size", flow.size, MakeSizeCodec(), "The size of the message, such as 4 MiB."),
        MakeField("at", flow.start, MakeTimeCodec(), "When the message is sent."),
    };
}

/// A message of a rank to itself would cross no link.
Codec<FlowSpec>
MakeFlowCodec()
{
    Codec<FlowSpec> codec = MakeMappingCodec<FlowSpec>(&DescribeFlow);
    codec.read = [read = codec.read](const ConfigNode& node)
    {
        const FlowSpec flow = read(node);
        if (flow.source == flow.destination)
        {
            node.Fail("rank " + std::to_string(flow.source) +
                      " sends to itself; src and dst must differ");
        }
        return flow;
    };
    return codec;
}

/// A job without messages would do nothing.
Codec<std::vector<FlowSpec>>
MakeFlowsCodec()
{
    Codec<std::vector<FlowSpec>> codec = MakeListCodec(MakeFlowCodec(), "a list of flows");
    codec.read = [read = codec.read](const ConfigNode& node)
    {
        const std::vector<FlowSpec> flows = read(node);
        if (flows.empty())
        {
            node.Fail("is empty; write at least one flow, such as {src: 0, dst: 1, size: 4 MiB}");
        }
        return flows;
    };
    return codec;
}

HighestRank
FindHighestRank(const ConfigNode& list, const std::vector<FlowSpec>& flows)
{
    HighestRank highest;
    const ConfigNode* place = nullptr;
    const auto look = [&](const ConfigNode& flow, const char* key, uint32_t rank)
    {
        if (place == nullptr || rank > highest.rank)
        {
            highest.rank = rank;
            place = flow.Find(key);
        }
    };
    for (size_t i = 0; i < flows.size(); ++i)
    {
        look(list.children[i], "src", flows[i].source);
        look(list.children[i], "dst", flows[i].destination);
    }
    highest.where = place->Where() + ": " + place->Path();
    return highest;
}

/// Besides the flows it keeps where their largest rank stands: whether the job has that rank is
/// known only when the network is.
Field
MakeFlowsField(WorkloadConfig& workload)
{
    Field field = MakeOptionalField(
        "flows",
        workload.flows,
        MakeFlowsCodec(),
        "Messages between ranks, without a trace: a list of {src, dst, size, at}.");
    field.read = [&workload, read = field.read](const ConfigNode& node)
    {
        read(node);
        workload.highestRank = FindHighestRank(node, *workload.flows);
    };
    return WithExample(field, Json::array({{{"src", 0}, {"dst", 1}, {"size", "4 MiB"}}}));
}

/// At most 32 bits, as SystemOptions::elementBytes has.
Codec<Bytes>
MakeElementSizeCodec()
{
    Codec<Bytes> codec = MakePositiveSizeCodec();
    codec.read = [read = codec.read](const ConfigNode& node)
    {
        const Bytes size = read(node);
        if (size.Count() > std::numeric_limits<uint32_t>::max())
        {
            node.Fail("\"" + node.text +
                      "\" is too large; write the size of a number, such as 2 B");
        }
        return size;
    };
    return codec;
}

Codec<DependencyPolicy>
MakeDependencyCodec()
{
    std::vector<std::pair<std::string_view, DependencyPolicy>> choices;
    for (const DependencyPolicy policy : AllDependencyPolicies())
    {
        choices.emplace_back(ToText(policy), policy);
    }
    return MakeChoiceCodec(choices);
}

} // namespace

/// One of the keys that name the work must be given, and only one. A section cannot say so:
/// CheckWorkload does (read-config.cc).
Section
DescribeWorkload(WorkloadConfig& workload)
{
    return {
        WithExample(MakeOptionalField("trace",
                                      workload.trace,
                                      MakePathCodec(),
                                      "The Chakra execution traces. In the path, {rank} stands for "
                                      "0, 1, and so on. Without it "
                                      "all ranks share one file."),
                    "traces/llama.{rank}.et"),
        WithExample(
            MakeOptionalField("groups",
                              workload.groups,
                              MakePathCodec(),
                              "A JSON file that says which ranks each group of the traces has."),
            "traces/groups.json"),
        MakeOptionalField(
            "ranks",
            workload.ranks,
            MakeCountCodec(1, MOST_VERTICES),
            "The number of ranks. By default there are as many as trace files, or as NPUs."),
        MakeField(
            "placement",
            workload.placement,
            MakePlacementCodec(),
            "Which NPU hosts which rank: rank r stands on NPU r (linear); the ranks go to and fro "
            "along the dimensions of the network (snake); the seed of the run draws the NPUs "
            "(random); or a list of NPUs, one for each rank, here or in a YAML file."),
        MakeField("element-size",
                  workload.elementSize,
                  MakeElementSizeCodec(),
                  "The bytes of one element, for traces whose sizes count elements."),
        MakeField(
            "dependencies",
            workload.dependencies,
            MakeDependencyCodec(),
            "Which edges of a trace are dependencies: data edges, control edges, both, or what the "
            "kind of trace needs (auto)."),
        MakeField(
            "communication",
            workload.replaysCommunication,
            MakeChoiceCodec<bool>({{"simulated", false}, {"recorded", true}}),
            "How long communication takes: what the network needs for it (simulated), or what "
            "the trace recorded (recorded). A recorded collective begins when its last member "
            "has called it. Where the traces say how long each member waited, as those that Nadi "
            "records, it takes a member's time without that wait; else on all members the "
            "shortest time that one of them recorded, "
            "since the others also waited."),
        MakeStreamsField(workload.streams),
        WithExample(MakeOptionalField("what-if",
                                      workload.whatIf,
                                      MakeWhatIfCodec(),
                                      "What is to be other than in the traces, or in the "
                                      "generated job (docs/what-if.md)."),
                    {{"layers", 96}, {"dp", 16}}),
        WithExample(MakeOptionalField("collective",
                                      workload.collective,
                                      MakeStepsCodec(),
                                      "Collectives that every rank calls, without a trace: one, or "
                                      "a list of steps. A step is a "
                                      "collective or {parallel: [...]}."),
                    {{"type", "all-reduce"}, {"size", "64 MiB"}}),
        MakeFlowsField(workload),
        MakeGenerateField(workload.generate),
        MakeServeField(workload.serve),
    };
}

} // namespace nadi
