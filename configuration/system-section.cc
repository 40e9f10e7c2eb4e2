// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/algorithm-settings.h"
#include "configuration/component-codec.h"
#include "configuration/memory-section.h"
#include "configuration/sections.h"
#include "network/topology-limits.h"
#include "system/library/communication-library.h"
#include "system/scheduling/inter-dimension-policy.h"
#include "system/scheduling/intra-dimension-policy.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

namespace nadi
{

namespace
{

/// Every chunk has phases of its own on every rank: more only eat memory.
constexpr uint32_t MOST_CHUNKS = 1U << 16;

/// `{3: 1.2}`: factors by rank.
Codec<std::map<uint32_t, double>>
MakePerRankCodec()
{
    const Codec<double> factor = MakeFactorCodec();
    Codec<std::map<uint32_t, double>> codec;
    codec.schema = [factor] {
        return Json{{"type", "object"}, {"additionalProperties", factor.schema.Get()}};
    };
    codec.read = [factor](const ConfigNode& node)
    {
        if (node.kind != ConfigNode::Kind::Map)
        {
            node.Fail("is not a mapping; write factors by rank, such as {3: 1.2}");
        }
        std::map<uint32_t, double> factors;
        for (const ConfigNode& child : node.children)
        {
            uint32_t rank = 0;
            const char* const last = child.key.data() + child.key.size();
            const auto [end, error] = std::from_chars(child.key.data(), last, rank);
            if (error != std::errc{} || end != last)
            {
                child.FailAtKey("\"" + child.key + "\" is not a rank; write {3: 1.2}");
            }
            if (!factors.emplace(rank, factor.read(child)).second)
            {
                // Keys of a mapping differ as texts, so this one is "3" and "03".
                child.FailAtKey(fmt::format("rank {} is given twice; remove one", rank));
            }
        }
        return factors;
    };
    codec.write = [factor](const std::map<uint32_t, double>& factors)
    {
        Json values = Json::object();
        for (const auto& [rank, value] : factors)
        {
            values[std::to_string(rank)] = factor.write(value);
        }
        return values;
    };
    return codec;
}

/// A key of the roofline: written only when that model is chosen.
/// CheckCompute refuses the key beside the other model.
template <class T>
Field
MakeRooflineField(const std::string& name,
                  const ComputeOptions& compute,
                  std::pair<T&, Codec<T>> option,
                  const std::string& help)
{
    Field field = MakeField(name, option.first, option.second, help);
    field.write = [&compute, write = field.write]() -> std::optional<Json>
    { return compute.model == ComputeOptions::Model::Roofline ? write() : std::nullopt; };
    return field;
}

Section
DescribeEfficiency(KernelEfficiency& efficiency)
{
    Codec<double> factor = MakeFactorCodec();
    // This bound is for editors only. CheckShares refuses larger values, as its message can say
    // that a share is meant.
    factor.schema = factor.schema.With("maximum", 1);
    return {
        MakeField("gemm",
                  efficiency.gemm,
                  factor,
                  "The share of the peak that products of matrices reach, those of experts and of "
                  "routers too."),
        MakeField("attention",
                  efficiency.attention,
                  factor,
                  "The share of the peak that the cores of the attention reach."),
        MakeField("other",
                  efficiency.other,
                  factor,
                  "The share of the peak that other kernels reach, and nodes that name no kernel."),
        MakeField("memory",
                  efficiency.memory,
                  factor,
                  "The share of the memory bandwidth that kernels reach."),
    };
}

/// Written only where it is not 1 throughout.
/// Without a roofline CheckCompute refuses the key, so it is 1 throughout there.
Field
MakeEfficiencyField(ComputeOptions& compute)
{
    Field field = MakeSectionField(
        "efficiency",
        DescribeEfficiency(compute.efficiency),
        "The shares of the two rates that kernels reach, by kind, 1 unless given; such as {gemm: "
        "0.7, attention: 0.5, memory: 0.8}. For the roofline only.");
    field.write = [&compute, write = field.write]() -> std::optional<Json>
    { return compute.efficiency == KernelEfficiency() ? std::nullopt : write(); };
    return field;
}

/// Written only with a table.
Field
MakeOutsideField(ComputeOptions& compute)
{
    using Outside = ComputeOptions::Outside;
    Field field = WithDefault(MakeField(
        "outside",
        compute.outside,
        MakeChoiceCodec<Outside>({{"error", Outside::Error}, {"roofline", Outside::Roofline}}),
        "What happens to a kernel whose sizes lie outside the table of measured kernels: the run "
        "ends with an error that names kernel and sizes (error), or the kernel takes the time of "
        "the roofline (roofline). For kernels only."));
    field.write = [&compute, write = field.write]() -> std::optional<Json>
    { return compute.kernels ? write() : std::nullopt; };
    return field;
}

Section
DescribeCompute(ComputeOptions& compute)
{
    const auto model = MakeChoiceCodec<ComputeOptions::Model>(
        {{"trace", ComputeOptions::Model::Trace}, {"roofline", ComputeOptions::Model::Roofline}});
    return {
        MakeField("model",
                  compute.model,
                  model,
                  "Where durations of compute come from: from the trace (trace), or from "
                  "operations and bytes "
                  "and the rates of the NPU (roofline)."),
        MakeRooflineField<FlopRate>(
            "peak",
            compute,
            {compute.peak, MakeFlopRateCodec()},
            "The peak compute rate of the NPU, such as 312 TFLOP/s. For the roofline only."),
        MakeRooflineField<Bandwidth>(
            "memory-bandwidth",
            compute,
            {compute.memoryBandwidth, MakeRateCodec()},
            "The memory bandwidth of the NPU, such as 2 TB/s. For the roofline only."),
        MakeEfficiencyField(compute),
        WithExample(
            MakeOptionalField("kernels",
                              compute.kernels,
                              MakePathCodec(),
                              "A table of measured kernels, whose times go before the roofline: a "
                              "CSV file with the columns op, dtype, m, n, k, batch, context, tp, "
                              "bytes and us (docs/workloads.md). For the roofline only."),
            "kernels.csv"),
        MakeOutsideField(compute),
        MakeField(
            "scale", compute.scale, MakeFactorCodec(), "A factor on every duration of compute."),
        WithExample(MakeField("per-rank",
                              compute.perRank,
                              MakePerRankCodec(),
                              "Further factors for some ranks, such as {3: 1.2}."),
                    {{"3", 1.2}}),
    };
}

/// More than the whole rate is a slip, such as a percentage.
void
CheckShares(const ConfigNode& efficiency)
{
    const Codec<double> factor = MakeFactorCodec();
    for (const ConfigNode& share : efficiency.children)
    {
        if (factor.read(share) > 1)
        {
            share.Fail("\"" + share.text + "\" is above 1; write a share of the rate, such as 0.7");
        }
    }
}

/// The roofline has its two rates, the trace has neither these nor what goes with them.
void
CheckCompute(const ConfigNode& node, const ComputeOptions& compute)
{
    const bool isRoofline = compute.model == ComputeOptions::Model::Roofline;
    for (const char* key : {"peak", "memory-bandwidth"})
    {
        if (isRoofline && node.Find(key) == nullptr)
        {
            node.Fail("key \"" + std::string(key) +
                      "\" is missing; a roofline is {model: roofline, peak: 312 TFLOP/s, "
                      "memory-bandwidth: 2 TB/s}");
        }
    }
    for (const char* key : {"peak", "memory-bandwidth", "efficiency", "kernels", "outside"})
    {
        const ConfigNode* given = node.Find(key);
        if (!isRoofline && given != nullptr)
        {
            given->FailAtKey("is of the roofline; add \"model: roofline\" or remove it");
        }
    }
    if (const ConfigNode* const efficiency = node.Find("efficiency"))
    {
        CheckShares(*efficiency);
    }
    const ConfigNode* outside = node.Find("outside");
    if (outside != nullptr && !compute.kernels)
    {
        outside->FailAtKey("says what happens outside a table; add \"kernels: FILE\" or remove it");
    }
}

/// Whether there are such ranks is known later.
/// So the line of each factor is kept for the error of CheckStragglers.
void
RememberPlaces(const ConfigNode& node, SystemConfig& system)
{
    if (const ConfigNode* const factors = node.Find("per-rank"))
    {
        for (const ConfigNode& factor : factors->children)
        {
            uint32_t rank = 0;
            // The codec has refused keys that are no numbers.
            std::from_chars(factor.key.data(), factor.key.data() + factor.key.size(), rank);
            system.perRankWhere[rank] = factor.Where();
        }
    }
}

Field
MakeComputeField(SystemConfig& system)
{
    Field field =
        MakeSectionField("compute", DescribeCompute(system.compute), "How long compute takes.");
    field.read = [&system, read = field.read](const ConfigNode& node)
    {
        read(node);
        CheckCompute(node, system.compute);
        RememberPlaces(node, system);
    };
    return field;
}

/// Made by hand: the empty list of the options means that nobody gave one. So an empty list is
/// neither read nor written.
Field
MakeDimensionsField(SystemConfig& system)
{
    Field field;
    const auto codec = MakeListCodec(MakeCountCodec(1, MOST_VERTICES), "sizes such as [8, 4]");
    field.name = "dimensions";
    field.help = "The sizes of the logical dimensions over which collectives run on a topology, "
                 "innermost first, such as [8, 4], in place of those that the topology gives. Not "
                 "with network.dimensions, nor on a wafer that is a mesh.";
    field.schema = codec.schema;
    field.read = [&system, codec](const ConfigNode& node)
    {
        system.dimensions = codec.read(node);
        system.dimensionsWhere = node.Where();
        if (system.dimensions.empty())
        {
            node.Fail("is empty; write sizes such as [8, 4]");
        }
    };
    field.write = [&system, codec]() -> std::optional<Json>
    {
        return system.dimensions.empty() ? std::nullopt
                                         : std::optional<Json>(codec.write(system.dimensions));
    };
    return field;
}

template <class Policy>
Codec<ComponentChoice>
MakePolicyCodec(const std::string& noun)
{
    return MakeComponentCodec(MakeRegisteredKind<Policy>(noun, "name"),
                              ComponentForm::NameOrMapping);
}

Section
DescribeScheduling(SchedulingOptions& scheduling)
{
    const auto hierarchy =
        MakeChoiceCodec<bool>({{"scatter-gather", false}, {"per-dimension", true}});
    return {
        MakeField(
            "hierarchy",
            scheduling.perDimension,
            hierarchy,
            "How an all-reduce crosses several dimensions: reduce-scatters on the way in and "
            "all-gathers "
            "on the way out (scatter-gather), or an all-reduce of everything on each dimension "
            "(per-dimension)."),
        MakeField("chunks",
                  scheduling.chunks,
                  MakeOptionalCodec("auto", MakeCountCodec(1, MOST_CHUNKS)),
                  "Into how many chunks a collective is cut. With auto there are 16, or fewer "
                  "where chunks would be so small that latency rules them, and one where "
                  "slices of in-network or nvls fill a single dimension."),
        MakeField("chunks-in-flight",
                  scheduling.chunksInFlight,
                  MakeCountCodec(1),
                  "How many chunks of one collective may be under way at once in a dimension, on "
                  "each rank."),
        MakeField("inter-dimension",
                  scheduling.interDimension,
                  MakePolicyCodec<InterDimensionPolicy>("policy between dimensions"),
                  "The order in which a chunk crosses the dimensions."),
        MakeField("intra-dimension",
                  scheduling.intraDimension,
                  MakePolicyCodec<IntraDimensionPolicy>("policy inside a dimension"),
                  "Which waiting chunk a dimension takes next."),
    };
}

/// The place is kept for errors that need the network, such as about nodes that the library needs
/// and the network lacks.
Field
MakeLibraryField(SystemConfig& system)
{
    Field field =
        MakeField("library",
                  system.options.library,
                  MakeComponentCodec(
                      MakeRegisteredKind<CommunicationLibrary>("communication library", "name"),
                      ComponentForm::NameOrMapping),
                  "The communication library that the ranks use. With plain, the keys of this "
                  "section say what a collective does and costs.");
    field.read = [&system, read = field.read](const ConfigNode& node)
    {
        read(node);
        system.libraryWhere = node.Where();
    };
    return field;
}

Field
MakePlanCacheField(SystemConfig& system)
{
    Codec<std::string> codec = MakePathCodec();
    codec.read = [read = codec.read](const ConfigNode& node)
    {
        std::string path = read(node);
        // A directory that does not exist is no error: the first program that is kept makes it.
        std::error_code error; // such as that of a name that is too long
        const std::filesystem::file_status status = std::filesystem::status(path, error);
        if (std::filesystem::exists(status) && !std::filesystem::is_directory(status))
        {
            node.Fail("\"" + path + "\" is no directory; write one that may hold many files");
        }
        if (!std::filesystem::status_known(status))
        {
            node.Fail("cannot use \"" + path + "\": " + error.message());
        }
        return path;
    };
    return WithExample(
        MakeOptionalField("plan-cache",
                          system.planCache,
                          codec,
                          "A directory that keeps synthesised programs for later runs of the same "
                          "simulator. It is made if need be, and several runs may share it."),
        "plan-cache");
}

/// The keys that say what a collective does and costs, for a library that leaves this to the user.
Section
DescribePlainCollectives(SystemConfig& system)
{
    SystemOptions& options = system.options;
    Section section{MakeAlgorithmsField(system)};
    for (Field& field : DescribeScheduling(options.scheduling))
    {
        section.push_back(std::move(field));
    }
    section.push_back(MakeField(
        "sends-in-flight",
        options.sendsInFlight,
        MakeCountCodec(1),
        "How many messages of a chunk one rank may have under way at once, of those that do not "
        "wait for each other, as the sends of direct or the slices of a tree. Synthesised "
        "programs, those of files and switches that compute have an order of "
        "their own, without this limit."));
    section.push_back(MakeField(
        "endpoint-delay",
        options.endpointDelay,
        MakeTimeCodec(),
        "The time after the delivery of a message until the receiver may use its bytes."));
    section.push_back(MakeField(
        "reduction-bandwidth",
        options.reductionBandwidth,
        MakeOptionalCodec("none", MakeRateCodec()),
        "The rate at which a rank reduces received data, or none where that takes no time."));
    section.push_back(MakePlanCacheField(system));
    return section;
}

/// Such a key beside a library that decides itself is an error, and is not written then.
/// The library is asked when the key is read or written: fields are made before any key is read.
Field
LeftToUser(Field field, const SystemOptions& options)
{
    field.read = [&options, read = field.read](const ConfigNode& node)
    {
        if (MakeLibrary(options)->DecidesItself())
        {
            node.FailAtKey("is decided by the library " + options.library.name +
                           "; remove it, or the library");
        }
        read(node);
    };
    field.write = [&options, write = field.write]() -> std::optional<Json>
    { return MakeLibrary(options)->DecidesItself() ? std::nullopt : write(); };
    return field;
}

} // namespace

Section
DescribeSystem(SystemConfig& system)
{
    SystemOptions& options = system.options;
    Section section{MakeLibraryField(system)}; // first, as other keys depend on it
    for (Field& field : DescribePlainCollectives(system))
    {
        section.push_back(LeftToUser(std::move(field), options));
    }
    // `dimensions` is the user's to set beside any library, so it does not go through LeftToUser.
    // Keys are written and described in this order: `library`, `collectives`, `dimensions`.
    section.insert(section.begin() + 2, MakeDimensionsField(system));
    section.push_back(
        MakeField("concurrent-collectives",
                  options.concurrentCollectives,
                  MakeCountCodec(0),
                  "How many collectives may run at once on a rank. With 0 there is no limit."));
    section.push_back(MakeComputeField(system));
    section.push_back(MakeMemoryField(system));
    return section;
}

} // namespace nadi
