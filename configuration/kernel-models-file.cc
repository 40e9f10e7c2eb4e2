// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/kernel-models-file.h"

#include "configuration/config-document.h"
#include "configuration/field.h"
#include "configuration/yaml-reader.h"
#include "configuration/yaml-writer.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nadi
{

namespace
{

constexpr uint64_t MOST_COUNTED = std::numeric_limits<uint64_t>::max();

/// A class as the file has it.
struct WrittenClass
{
    uint64_t operations = 1; ///< the least of the class
    double efficiency = 1;
};

/// A kind as the file has it.
struct WrittenKind
{
    KernelOp kind = KernelOp::Other;
    SimTime launch;
    double memoryEfficiency = 1;
    uint64_t mostOperations = 0;
    uint64_t mostBytes = 0;
    SeenBounds seen = SeenBounds::Both;
    std::vector<WrittenClass> classes;
};

/// The file is for people to read: a launch is a time with a unit and not a number of nanoseconds,
/// and a class is named by its least operations and not by its number. So the sections are bound to
/// these structures, and ToWritten and FromWritten convert from and to the models.
struct WrittenModels
{
    FlopRate peak;
    Bandwidth memoryBandwidth;
    std::vector<WrittenKind> kinds;
};

/// Requires: Other is the last of the enumeration. The loop ends with it.
Codec<KernelOp>
MakeKernelOpCodec()
{
    std::vector<std::pair<std::string_view, KernelOp>> choices;
    for (int op = 0; op <= static_cast<int>(KernelOp::Other); ++op)
    {
        choices.emplace_back(ToText(static_cast<KernelOp>(op)), static_cast<KernelOp>(op));
    }
    return MakeChoiceCodec<KernelOp>(choices);
}

Codec<SeenBounds>
MakeSeenBoundsCodec()
{
    std::vector<std::pair<std::string_view, SeenBounds>> choices;
    for (const SeenBounds seen :
         {SeenBounds::Both, SeenBounds::Arithmetic, SeenBounds::Memory, SeenBounds::Either})
    {
        choices.emplace_back(ToText(seen), seen);
    }
    return MakeChoiceCodec<SeenBounds>(choices);
}

Section
DescribeWrittenClass(WrittenClass& entry)
{
    return {MakeRequiredField("operations",
                              entry.operations,
                              MakeNumberCodec(1, MOST_COUNTED),
                              "The operations from which on a kernel is of the class."),
            MakeRequiredField("efficiency",
                              entry.efficiency,
                              MakeFactorCodec(),
                              "The share of the peak that its kernels reach.")};
}

Section
DescribeWrittenKind(WrittenKind& kind)
{
    return {MakeRequiredField(
                "kind", kind.kind, MakeKernelOpCodec(), "What the kernels do, such as gemm."),
            MakeField("launch", kind.launch, MakeTimeCodec(), "What each kernel takes besides."),
            MakeField("memory-efficiency",
                      kind.memoryEfficiency,
                      MakeFactorCodec(),
                      "The share of the memory bandwidth that the kernels reach."),
            MakeField("most-operations",
                      kind.mostOperations,
                      MakeNumberCodec(0, MOST_COUNTED),
                      "The most operations of a kernel that the model was fitted to."),
            MakeField("most-bytes",
                      kind.mostBytes,
                      MakeNumberCodec(0, MOST_COUNTED),
                      "The most bytes of a kernel that the model was fitted to."),
            MakeField("bound-by",
                      kind.seen,
                      MakeSeenBoundsCodec(),
                      "What bounds the kernels that the model was fitted to."),
            MakeField("classes",
                      kind.classes,
                      MakeListCodec(MakeMappingCodec<WrittenClass>(&DescribeWrittenClass),
                                    "a list of {operations, efficiency}"),
                      "The efficiency of kernels by their operations.")};
}

Section
DescribeWrittenModels(WrittenModels& models)
{
    return {MakeRequiredField(
                "peak", models.peak, MakeFlopRateCodec(), "The peak compute rate of the NPU."),
            MakeRequiredField("memory-bandwidth",
                              models.memoryBandwidth,
                              MakeRateCodec(),
                              "The memory bandwidth of the NPU."),
            MakeRequiredField("kinds",
                              models.kinds,
                              MakeListCodec(MakeMappingCodec<WrittenKind>(&DescribeWrittenKind),
                                            "a list of {kind, classes, ...}"),
                              "The kinds of kernels that have a model.")};
}

/// A fitted launch is any fraction of a nanosecond. SimTime counts picoseconds, so it is rounded to
/// one.
WrittenKind
ToWritten(KernelOp op, const KindModel& model)
{
    WrittenKind kind{.kind = op,
                     .launch = SimTime::FromPs(std::llround(model.launchNanos * 1000)),
                     .memoryEfficiency = model.memoryEfficiency,
                     .mostOperations = model.mostOperations,
                     .mostBytes = model.mostBytes,
                     .seen = model.seen,
                     .classes = {}};
    for (const ClassEfficiency& entry : model.classes)
    {
        // FindSizeClass is floor(log4(operations)), so class c begins at 4^c operations.
        kind.classes.push_back({uint64_t{1} << (2 * entry.sizeClass), entry.efficiency});
    }
    return kind;
}

KindModel
FromWritten(const WrittenKind& kind)
{
    KindModel model{.launchNanos = kind.launch.Ns(),
                    .memoryEfficiency = kind.memoryEfficiency,
                    .classes = {},
                    .mostOperations = kind.mostOperations,
                    .mostBytes = kind.mostBytes,
                    .seen = kind.seen};
    for (const WrittenClass& entry : kind.classes)
    {
        // Any number of operations names the class that it falls into, so a rounded one will do.
        model.classes.push_back({FindSizeClass(entry.operations), entry.efficiency});
    }
    // KindModel wants ascending classes, and a file that was edited by hand may have another order.
    std::ranges::sort(model.classes, {}, &ClassEfficiency::sizeClass);
    return model;
}

} // namespace

/// By kind in the order of the enumeration, as the models are a map.
std::string
FormatKernelModels(const KernelModels& models)
{
    WrittenModels written{models.peak, models.memoryBandwidth, {}};
    for (const auto& [op, model] : models.kinds)
    {
        written.kinds.push_back(ToWritten(op, model));
    }
    return WriteYaml(WriteSection(DescribeWrittenModels(written)));
}

/// A second model of a kind is an error at its place in the list. The map of the models alone would
/// silently keep the first.
KernelModels
ReadKernelModels(const std::filesystem::path& file, const std::string& where)
{
    std::ifstream stream = OpenFile(file, where);
    const SourceText source{file.string(), file.parent_path(), true};
    ConfigNode root = ReadYaml(stream, source);
    root.Seal();
    WrittenModels written;
    ReadSection(root, DescribeWrittenModels(written));
    KernelModels models{written.peak, written.memoryBandwidth, {}};
    for (size_t index = 0; index < written.kinds.size(); ++index)
    {
        const WrittenKind& kind = written.kinds[index];
        if (!models.kinds.emplace(kind.kind, FromWritten(kind)).second)
        {
            root.Find("kinds")->children[index].Fail("is a second model of kind " +
                                                     std::string(ToText(kind.kind)) +
                                                     "; keep one of them");
        }
    }
    return models;
}

} // namespace nadi
