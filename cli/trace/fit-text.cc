// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/fit-text.h"

#include "cli/terminal/summary-text.h"
#include "common/unit-parser.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace nadi
{

namespace
{

constexpr size_t SHAPES_SHOWN = 16;
constexpr size_t LONGEST_SIZES = 60;

std::string
SignedPercent(double share)
{
    return fmt::format("{:+.1f} %", 100 * share);
}

std::string
MicrosText(double nanos)
{
    return ToRoundedText(SimTime::FromPs(std::llround(nanos * 1000)));
}

/// The largest error of shapes that were left out; "-" where none was.
std::string
WorstLeftOut(const KindFit& fit)
{
    std::optional<double> worst;
    for (const ShapeFit& shape : fit.shapes)
    {
        // The largest absolute value; its sign says whether the model is too slow.
        if (shape.errorLeftOut && std::abs(*shape.errorLeftOut) > std::abs(worst.value_or(0)))
        {
            worst = shape.errorLeftOut;
        }
    }
    return worst ? SignedPercent(*worst) : "-";
}

/// Efficiencies are shares of the peak and of the bandwidth in the title. That of the peak is a
/// range where the kind has several classes of sizes.
std::string
DescribeKinds(const KernelFit& fit, const Style& style)
{
    Rows rows{{"kind",
               "kernels",
               "shapes",
               "of the peak",
               "of the bandwidth",
               "bound by",
               "launch",
               "error",
               "worst shape",
               "worst left out"}};
    for (const auto& [kind, own] : fit.kinds)
    {
        const KindModel& model = fit.models.kinds.at(kind);
        const auto [least, most] = std::ranges::minmax(
            // minmax needs an element. This one is never shown.
            model.classes.empty() ? std::vector<ClassEfficiency>{{0, 0}} : model.classes,
            {},
            &ClassEfficiency::efficiency);
        rows.push_back(
            {std::string(ToText(kind)),
             std::to_string(own.kernels),
             std::to_string(own.shapes.size()),
             model.classes.empty()
                 ? "-"
                 : fmt::format("{:.1f} to {:.1f} %", 100 * least.efficiency, 100 * most.efficiency),
             fmt::format("{:.1f} %", 100 * model.memoryEfficiency),
             std::string(ToText(model.seen)),
             MicrosText(model.launchNanos),
             fmt::format("{:.1f} %", 100 * own.logError),
             SignedPercent(own.worst),
             WorstLeftOut(own)});
    }
    return TitledTable(
        fmt::format(
            "models of kernels; peak {}, memory bandwidth {}",
            ToText(fit.models.peak),
            fmt::format("{:.4g} GB/s",
                        // From bits per second. Four digits, as a fitted rate is no round number
                        // in any unit.
                        static_cast<double>(fit.models.memoryBandwidth.BitsPerSecond()) / 8e9)),
        rows,
        style);
}

/// Shapes of all kinds, those first whose kernels take most time together: their errors matter
/// most.
std::string
DescribeShapes(const KernelFit& fit, const Style& style)
{
    std::vector<const ShapeFit*> shapes;
    for (const auto& [kind, own] : fit.kinds)
    {
        for (const ShapeFit& shape : own.shapes)
        {
            shapes.push_back(&shape);
        }
    }
    std::ranges::stable_sort(
        shapes, std::greater<>(), [](const ShapeFit* shape) { return shape->sample.totalNanos; });
    shapes.resize(std::min(shapes.size(), SHAPES_SHOWN));
    Rows rows{{"kernel", "count", "measured", "fitted", "error", "left out"}};
    for (const ShapeFit* const shape : shapes)
    {
        rows.push_back({shape->sample.sizes.substr(0, LONGEST_SIZES),
                        std::to_string(shape->sample.count),
                        // The geometric mean of the durations: logNanos is a mean of logarithms.
                        MicrosText(std::exp(shape->sample.logNanos)),
                        MicrosText(shape->nanos),
                        SignedPercent(shape->error),
                        shape->errorLeftOut ? SignedPercent(*shape->errorLeftOut) : "-"});
    }
    return TitledTable("the shapes that take most time", rows, style);
}

} // namespace

std::string
DescribeFit(const KernelFit& fit, const Style& style)
{
    std::string text = DescribeKinds(fit, style) + DescribeShapes(fit, style);
    for (const std::string& note : fit.notes)
    {
        text += WrapText("note: " + note, 100) + "\n";
    }
    return text;
}

std::string
FormatFitJson(const KernelFit& fit)
{
    nlohmann::ordered_json kinds = nlohmann::ordered_json::object();
    for (const auto& [kind, own] : fit.kinds)
    {
        nlohmann::ordered_json shapes = nlohmann::ordered_json::array();
        for (const ShapeFit& shape : own.shapes)
        {
            nlohmann::ordered_json row{{"sizes", shape.sample.sizes},
                                       {"operations", shape.sample.work.operations},
                                       {"bytes", shape.sample.work.bytes},
                                       {"count", shape.sample.count},
                                       {"measured_ns", std::exp(shape.sample.logNanos)},
                                       {"fitted_ns", shape.nanos},
                                       {"error", shape.error}};
            row["error_left_out"] = shape.errorLeftOut ? nlohmann::ordered_json(*shape.errorLeftOut)
                                                       : nlohmann::ordered_json();
            shapes.push_back(std::move(row));
        }
        kinds[std::string(ToText(kind))] = {{"kernels", own.kernels},
                                            {"log_error", own.logError},
                                            {"worst_error", own.worst},
                                            {"shapes", std::move(shapes)}};
    }
    nlohmann::ordered_json unsized = nlohmann::ordered_json::object();
    for (const auto& [kind, kernels] : fit.unsized)
    {
        unsized[std::string(ToText(kind))] = {{"kernels", kernels.count}, {"ns", kernels.nanos}};
    }
    const nlohmann::ordered_json whole{
        {"kinds", std::move(kinds)}, {"without_sizes", std::move(unsized)}, {"notes", fit.notes}};
    return whole.dump(1) + "\n";
}

} // namespace nadi
