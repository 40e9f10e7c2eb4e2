// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/fitting/kernel-fit.h"

#include "common/error.h"
#include "workload/tools/fitting/roofline-fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace nadi
{

namespace
{

constexpr size_t MOST_LEFT_OUT = 40; // shapes of a kind, those that take most time

constexpr double SLOW_MEMORY = 0.5; // of the fastest memory rate of a kind

using ShapesByKind = std::map<KernelOp, std::vector<ShapeSample>>;

using KindRates = std::map<KernelOp, RooflineRates>;

RooflinePoint
MakePoint(const ShapeSample& shape)
{
    return {.operations = static_cast<double>(shape.work.operations),
            .bytes = static_cast<double>(shape.work.bytes),
            // The geometric mean of the durations, as the fit is one of log time.
            .nanos = std::exp(shape.logNanos),
            .weight = static_cast<double>(shape.count),
            .sizeClass = shape.work.operations == 0 ? 0 : FindSizeClass(shape.work.operations)};
}

std::vector<RooflinePoint>
MakePoints(const std::vector<ShapeSample>& shapes)
{
    std::vector<RooflinePoint> points;
    for (const ShapeSample& shape : shapes)
    {
        points.push_back(MakePoint(shape));
    }
    return points;
}

double
MostCompute(const RooflineRates& rates)
{
    double most = 0;
    for (const auto& [sizeClass, rate] : rates.operationsPerNano)
    {
        most = std::max(most, rate);
    }
    return most;
}

double
BestMemory(const KindRates& kinds)
{
    double best = 0;
    for (const auto& [kind, rates] : kinds)
    {
        best = std::max(best, rates.IsMemorySeen() ? rates.bytesPerNano : 0);
    }
    return best;
}

/// The least memory rate of a kind. Small kernels that do arithmetic are slow per byte too; that is
/// no reason to think that the memory is slow: what other kinds reach, they reach.
double
LeastMemory(const RooflineRates& rates, double best)
{
    const bool isBlamed = rates.IsMemorySeen() && !rates.operationsPerNano.empty() &&
                          rates.bytesPerNano < SLOW_MEMORY * best;
    return isBlamed ? best : 0;
}

/// Kernels of a kind that do as many operations for each byte fit both bounds. Where they reach
/// little of the arithmetic of other kinds, memory bounds them.
void
TellBounds(KindRates& kinds)
{
    constexpr double little = 0.1;
    double most = 0;
    for (const auto& [kind, rates] : kinds)
    {
        most = std::max(most, MostCompute(rates));
    }
    for (auto& [kind, rates] : kinds)
    {
        if (rates.seen == SeenBounds::Either && MostCompute(rates) < little * most)
        {
            rates.seen = SeenBounds::Memory;
        }
    }
}

/// What bounds no kernel of a kind is at least as fast as where it bounds others, or where either
/// bound may hold.
void
ShareRates(KindRates& kinds)
{
    double compute = 0;
    double memory = BestMemory(kinds);
    for (const auto& [kind, rates] : kinds)
    {
        compute = std::max(compute, rates.IsComputeSeen() ? MostCompute(rates) : 0);
        memory = std::max(memory, rates.seen == SeenBounds::Either ? rates.bytesPerNano : 0);
    }
    for (auto& [kind, rates] : kinds)
    {
        rates.bytesPerNano =
            rates.IsMemorySeen() ? rates.bytesPerNano : std::max(rates.bytesPerNano, memory);
        for (auto& [sizeClass, rate] : rates.operationsPerNano)
        {
            rate = rates.IsComputeSeen() ? rate : std::max(rate, compute);
        }
    }
}

/// Rates of the accelerator, of which those of kinds are shares.
struct AcceleratorRates
{
    double operationsPerNano = 1;
    double bytesPerNano = 1;
};

AcceleratorRates
FindAcceleratorRates(const KindRates& kinds, const FitOptions& options)
{
    // The rates begin at 1 and not at 0, as efficiencies are shares of them.
    AcceleratorRates rates;
    for (const auto& [kind, own] : kinds)
    {
        rates.operationsPerNano = std::max(rates.operationsPerNano, MostCompute(own));
        rates.bytesPerNano = std::max(rates.bytesPerNano, own.bytesPerNano);
    }
    if (options.peak)
    {
        rates.operationsPerNano = static_cast<double>(options.peak->FlopsPerSecond()) / 1e9;
    }
    if (options.memoryBandwidth)
    {
        rates.bytesPerNano = static_cast<double>(options.memoryBandwidth->BitsPerSecond()) / 8e9;
    }
    return rates;
}

KindModel
MakeModel(const RooflineRates& rates,
          const AcceleratorRates& accelerator,
          const std::vector<ShapeSample>& shapes)
{
    KindModel model;
    model.launchNanos = rates.launchNanos;
    model.seen = rates.seen;
    model.memoryEfficiency =
        rates.bytesPerNano == 0 ? 1 : rates.bytesPerNano / accelerator.bytesPerNano;
    for (const auto& [sizeClass, rate] : rates.operationsPerNano)
    {
        model.classes.push_back({sizeClass, rate / accelerator.operationsPerNano});
    }
    for (const ShapeSample& shape : shapes)
    {
        model.mostOperations = std::max(model.mostOperations, shape.work.operations);
        model.mostBytes = std::max(model.mostBytes, shape.work.bytes);
    }
    return model;
}

/// Relative: 0.1 is 10 % too slow. Requires: the kind of the shape has a model.
double
ErrorOf(const KernelModels& models, const ShapeSample& shape)
{
    // The model was fitted to the geometric mean of the durations.
    return models.Find(shape.work)->nanos / std::exp(shape.logNanos) - 1;
}

/// Fits one kind without one of its shapes, and asks the model for that shape.
double
LeaveOut(const std::vector<ShapeSample>& shapes, size_t left, const KernelModels& models)
{
    std::vector<ShapeSample> others = shapes;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(left));
    // The efficiencies of both models have to be shares of the same rates.
    const AcceleratorRates accelerator{static_cast<double>(models.peak.FlopsPerSecond()) / 1e9,
                                       static_cast<double>(models.memoryBandwidth.BitsPerSecond()) /
                                           8e9};
    const KernelOp kind = shapes[left].work.kind;
    RooflineRates rates = FitRoofline(MakePoints(others));
    // What other kinds say of the memory does not depend on the shape.
    const double known = models.kinds.at(kind).memoryEfficiency * accelerator.bytesPerNano;
    // The other shapes alone may not show the memory rate, or show one that is too slow, as in
    // FitRates.
    if (!rates.IsMemorySeen() || LeastMemory(rates, known) > 0)
    {
        rates = FitRoofline(MakePoints(others), known);
        rates.bytesPerNano = std::max(rates.bytesPerNano, known);
    }
    KernelModels partial = models;
    partial.kinds[kind] = MakeModel(rates, accelerator, others);
    return ErrorOf(partial, shapes[left]);
}

KindFit
DescribeKind(const std::vector<ShapeSample>& shapes, const KernelModels& models)
{
    std::vector<uint64_t> totals;
    for (const ShapeSample& shape : shapes)
    {
        totals.push_back(shape.totalNanos);
    }
    std::ranges::sort(totals, std::greater<>());
    // Leaving a shape out takes a fit of its own, so only the shapes that take most of the time are
    // left out in turn.
    const uint64_t least = totals[std::min(totals.size(), MOST_LEFT_OUT) - 1];
    KindFit fit;
    double squares = 0;
    for (size_t index = 0; index < shapes.size(); ++index)
    {
        const ShapeSample& shape = shapes[index];
        ShapeFit& own = fit.shapes.emplace_back();
        own.sample = shape;
        own.nanos = models.Find(shape.work)->nanos;
        own.error = ErrorOf(models, shape);
        if (shapes.size() > 1 && shape.totalNanos >= least)
        {
            own.errorLeftOut = LeaveOut(shapes, index, models);
        }
        fit.kernels += shape.count;
        fit.worst = std::abs(own.error) > std::abs(fit.worst) ? own.error : fit.worst;
        // An error of e is a factor of 1 + e in time, and log(1 + e) in log time.
        squares += static_cast<double>(shape.count) * std::pow(std::log1p(own.error), 2);
    }
    fit.logError = std::sqrt(squares / static_cast<double>(fit.kernels));
    return fit;
}

void
AddFitNotes(const FitOptions& options, KernelFit& fit)
{
    if (!options.peak || !options.memoryBandwidth)
    {
        fit.notes.push_back("Efficiencies are shares of the largest fitted rates, as --peak or "
                            "--memory-bandwidth is not given; the times do not depend on that.");
    }
    for (const auto& [kind, unsized] : fit.unsized)
    {
        fit.notes.push_back(fmt::format("{} kernels of kind {} ({:.3g} ms) have no operations, "
                                        "bytes or shapes: no model covers them.",
                                        unsized.count,
                                        ToText(kind),
                                        static_cast<double>(unsized.nanos) / 1e6));
    }
}

ShapesByKind
SortByKind(const KernelSamples& samples)
{
    ShapesByKind shapes;
    for (const ShapeSample& shape : samples.Shapes())
    {
        shapes[shape.work.kind].push_back(shape);
    }
    return shapes;
}

/// Each kind is fitted alone at first. Only all of them together show which bound holds for kinds
/// whose kernels fit both, and how fast the memory is. Kinds that seem to have a slow memory are
/// then fitted again, with the best rate of all kinds as the least. Last, rates that a kind does
/// not show are taken from the others.
KindRates
FitRates(const ShapesByKind& shapes)
{
    KindRates rates;
    for (const auto& [kind, ofKind] : shapes)
    {
        rates[kind] = FitRoofline(MakePoints(ofKind));
    }
    TellBounds(rates);
    const double best = BestMemory(rates);
    for (auto& [kind, own] : rates)
    {
        if (const double least = LeastMemory(own, best); least > 0)
        {
            own = FitRoofline(MakePoints(shapes.at(kind)), least);
        }
    }
    ShareRates(rates);
    return rates;
}

KernelModels
FitShapes(const ShapesByKind& shapes, const FitOptions& options)
{
    const KindRates rates = FitRates(shapes);
    const AcceleratorRates accelerator = FindAcceleratorRates(rates, options);
    KernelModels models;
    models.peak = FlopRate::FromFlopsPerSecond(std::llround(accelerator.operationsPerNano * 1e9));
    models.memoryBandwidth =
        Bandwidth::FromBitsPerSecond(std::llround(accelerator.bytesPerNano * 8e9));
    for (const auto& [kind, ofKind] : shapes)
    {
        models.kinds[kind] = MakeModel(rates.at(kind), accelerator, ofKind);
    }
    return models;
}

} // namespace

KernelModels
FitModels(const KernelSamples& samples, const FitOptions& options)
{
    return FitShapes(SortByKind(samples), options);
}

KernelFit
FitKernels(const KernelSamples& samples, const FitOptions& options, const std::string& source)
{
    const ShapesByKind shapes = SortByKind(samples);
    if (shapes.empty())
    {
        throw ConfigError(source,
                          "has no kernels with a recorded duration and with operations, bytes or "
                          "shapes; convert the Kineto trace together with its host trace, which "
                          "has the shapes");
    }
    KernelFit fit;
    fit.models = FitShapes(shapes, options);
    for (const auto& [kind, ofKind] : shapes)
    {
        fit.kinds[kind] = DescribeKind(ofKind, fit.models);
    }
    fit.unsized = samples.Unsized();
    AddFitNotes(options, fit);
    return fit;
}

} // namespace nadi
