// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/what-if-section.h"

#include "configuration/field.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nadi
{

namespace
{

/// Factors by regular expression. KernelPattern checks later whether an expression is valid and
/// fits a kernel. The order of the keys is not kept: where a kernel fits several, the factors
/// multiply.
Codec<std::map<std::string, double>>
MakeSpeedsCodec()
{
    const Codec<double> factor = MakeFactorCodec();
    Codec<std::map<std::string, double>> codec;
    codec.schema = [factor] {
        return Json{{"type", "object"}, {"additionalProperties", factor.schema.Get()}};
    };
    codec.read = [factor](const ConfigNode& node)
    {
        if (node.kind != ConfigNode::Kind::Map)
        {
            node.Fail("is not a mapping; write factors by regular expression, such as "
                      "{attention: 2}");
        }
        std::map<std::string, double> factors;
        for (const ConfigNode& child : node.children)
        {
            factors[child.key] = factor.read(child);
        }
        return factors;
    };
    codec.write = [factor](const std::map<std::string, double>& factors)
    {
        Json values = Json::object();
        for (const auto& [pattern, value] : factors)
        {
            values[pattern] = factor.write(value);
        }
        return values;
    };
    return codec;
}

/// A list, of which the order does not count.
Codec<std::set<std::string>>
MakePatternsCodec()
{
    const Codec<std::vector<std::string>> list =
        MakeListCodec(MakeTextCodec("a regular expression"), "a list of regular expressions");
    Codec<std::set<std::string>> codec;
    codec.schema = list.schema;
    codec.read = [list](const ConfigNode& node)
    {
        std::set<std::string> patterns;
        for (const std::string& pattern : list.read(node))
        {
            if (!patterns.insert(pattern).second)
            {
                node.Fail("has \"" + pattern + "\" twice; write it once");
            }
        }
        return patterns;
    };
    codec.write = [list](const std::set<std::string>& patterns)
    { return list.write(std::vector<std::string>(patterns.begin(), patterns.end())); };
    return codec;
}

Section
DescribeAccelerator(AcceleratorWish& gpu)
{
    return {WithExample(MakeOptionalField("peak",
                                          gpu.peak,
                                          MakeFlopRateCodec(),
                                          "The peak compute rate; as recorded if it is left out."),
                        "990 TFLOP/s"),
            WithExample(MakeOptionalField("memory-bandwidth",
                                          gpu.memoryBandwidth,
                                          MakeRateCodec(),
                                          "The memory bandwidth; as recorded if it is left out."),
                        "3.35 TB/s")};
}

/// At least one rate is asked for: an accelerator without any would be the recorded one.
Codec<AcceleratorWish>
MakeAcceleratorCodec()
{
    const Codec<AcceleratorWish> any = MakeMappingCodec<AcceleratorWish>(&DescribeAccelerator);
    Codec<AcceleratorWish> codec = any;
    codec.read = [any](const ConfigNode& node)
    {
        const AcceleratorWish gpu = any.read(node);
        if (gpu == AcceleratorWish{})
        {
            node.Fail("says nothing; write peak, memory-bandwidth or both, or remove it");
        }
        return gpu;
    };
    return codec;
}

/// These are hints: they change nothing in the job, but say what its traces may not show
/// (StructureHints).
Section
DescribeDegrees(FoundDegrees& degrees)
{
    const auto degree =
        [](const char* key, std::optional<uint32_t>& value, const char* help, uint32_t example)
    { return WithExample(MakeOptionalField(key, value, MakeCountCodec(1), help), example); };
    return {
        degree("tp", degrees.tensor, "The recorded degree of tensor parallelism, a hint.", 8),
        degree("cp", degrees.context, "The recorded degree of context parallelism, a hint.", 2),
        degree("dp", degrees.data, "The recorded degree of data parallelism, a hint.", 4),
        degree("pp", degrees.pipeline, "The recorded degree of pipeline parallelism, a hint.", 2),
        degree("ep", degrees.expert, "The recorded degree of expert parallelism, a hint.", 2)};
}

/// Of the sizes of the model, and how ranks share its layers.
Section
DescribeShapes(ShapeWish& wish)
{
    const auto size =
        [](const char* key, std::optional<uint32_t>& value, const char* help, uint32_t example)
    { return WithExample(MakeOptionalField(key, value, MakeCountCodec(1), help), example); };
    return {
        size("hidden",
             wish.hidden,
             "The hidden width of a recorded transformer: that of what layers pass on.",
             8192),
        size("ffn",
             wish.ffn,
             "The inner width of the MLPs of dense layers, or of experts where all layers have "
             "some.",
             28672),
        size("heads",
             wish.heads,
             "The attention heads. Those of keys and values keep their ratio to them.",
             64),
        size("sequence", wish.sequence, "The tokens of a sequence.", 8192),
        size("micro-batch", wish.microBatch, "The sequences of a micro-batch.", 2),
        size("ep", wish.expert, "How many neighbouring copies share the experts of a layer.", 4),
        size("tp", wish.tensor, "The degree of tensor parallelism.", 4),
        WithExample(MakeOptionalField("sp",
                                      wish.sequenceParallelism,
                                      MakeSwitchCodec(),
                                      "Whether tensor-parallel ranks use sequence parallelism."),
                    "on")};
}

Section
DescribeEdits(WhatIf& wish)
{
    return {
        MakeOptionalField("layers",
                          wish.layers,
                          MakeCountCodec(1),
                          "The layers of the whole model. Those recorded are repeated in turn, "
                          "or the last ones are taken out."),
        WithExample(
            MakeOptionalField("durations",
                              wish.durations,
                              MakeChoiceCodec<LayerDurations>({{"cycle", LayerDurations::Cycle},
                                                               {"median", LayerDurations::Median}}),
                              "What repeated layers take: what those took that they "
                              "repeat, or the median of each task."),
            "median"),
        WithExample(MakeOptionalField("pp",
                                      wish.stages,
                                      MakeCountCodec(1),
                                      "The pipeline stages. Each has as many layers."),
                    4),
        WithExample(MakeOptionalField("micro-batches",
                                      wish.microBatches,
                                      MakeCountCodec(1),
                                      "The micro-batches that go through each copy in an "
                                      "iteration. Those between the first and the last are "
                                      "repeated in turn."),
                    8),
        WithExample(MakeOptionalField("schedule",
                                      wish.schedule,
                                      MakeChoiceCodec<PipelineSchedule>(
                                          {{"gpipe", PipelineSchedule::GPipe},
                                           {"1f1b", PipelineSchedule::OneForwardOneBackward},
                                           {"interleaved", PipelineSchedule::Interleaved}}),
                                      "The order in which pipeline stages do their passes."),
                    "gpipe"),
        MakeOptionalField("chunks",
                          wish.chunks,
                          MakeCountCodec(2),
                          "The chunks of layers that each interleaved stage has."),
        MakeOptionalField("dp",
                          wish.copies,
                          MakeCountCodec(1),
                          "The data-parallel copies, each with its recorded micro-batches."),
        WithExample(MakeOptionalField("bucket",
                                      wish.bucket,
                                      MakeSizeCodec(),
                                      "Gradients are summed together once there are so many bytes. "
                                      "Without it, buckets keep their recorded size."),
                    "100 MB"),
        WithExample(MakeField("speed",
                              wish.speeds,
                              MakeSpeedsCodec(),
                              "How many times as fast kernels are, by regular expressions that "
                              "their names fit."),
                    {{"attention", 2}}),
        WithExample(MakeOptionalField("remove",
                                      wish.removed,
                                      MakeTextCodec("a regular expression"),
                                      "The kernels that are taken out: a regular expression "
                                      "that their names fit."),
                    "dropout"),
        WithExample(MakeField("fuse",
                              wish.fused,
                              MakePatternsCodec(),
                              "Regular expressions. Kernels that follow each other on a "
                              "stream, and whose names fit one of them, become one."),
                    {"norm|elementwise"}),
        WithExample(MakeOptionalField("gpu",
                                      wish.gpu,
                                      MakeAcceleratorCodec(),
                                      "The rates of another accelerator. Kernels change by "
                                      "what bounds them."),
                    {{"peak", "990 TFLOP/s"}, {"memory-bandwidth", "3.35 TB/s"}}),
        WithExample(MakeOptionalField("kernels",
                                      wish.kernels,
                                      MakePathCodec(),
                                      "What kernels of other sizes take: a table of measured "
                                      "ones (CSV), or the models of nadi trace fit (YAML). "
                                      "Without it models are fitted to the job."),
                    "kernels.yaml"),
        WithExample(MakeOptionalField("layer-pattern",
                                      wish.layerPattern,
                                      MakeTextCodec("a regular expression"),
                                      "A hint where layers are not found: what the name of the "
                                      "first kernel of each layer fits."),
                    "LayerNormKernel"),
        WithExample(MakeOptionalField("degrees",
                                      wish.degrees,
                                      MakeMappingCodec<FoundDegrees>(&DescribeDegrees),
                                      "A hint where traces and groups do not show the recorded "
                                      "degrees of parallelism, as where one rank was recorded."),
                    {{"tp", 8}})};
}

Section
DescribeWhatIf(WhatIf& wish)
{
    Section section = DescribeShapes(wish.shapes);
    Section rest = DescribeEdits(wish);
    // The user sees one mapping, though the sizes of the model have a structure of their own.
    std::ranges::move(rest, std::back_inserter(section));
    return section;
}

} // namespace

Codec<WhatIf>
MakeWhatIfCodec()
{
    return MakeMappingCodec<WhatIf>(&DescribeWhatIf);
}

} // namespace nadi
