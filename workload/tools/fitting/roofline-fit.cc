// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/fitting/roofline-fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace nadi
{

namespace
{

// An error of 0.005 in log time is half a percent. A launch is kept where it leaves less than
// LAUNCH_GAIN of the error.
constexpr int MOST_TURNS = 40;
constexpr int LAUNCHES_TRIED = 24;
constexpr size_t LEAST_POINTS_OF_LAUNCH = 4;
constexpr double OWN_RATE_FROM = 0.005; // in log time
constexpr double LAUNCH_GAIN = 0.9;
constexpr double LONGEST_LAUNCH = 10'000; // nanoseconds

/// One rate for all classes.
struct PlainRates
{
    double compute = 0; ///< operations per nanosecond
    double memory = 0;
};

/// Sums for a geometric mean, which `Or` returns; its argument where nothing was added.
struct LogMean
{
    double sum = 0;
    double weight = 0;

    void Add(double value, double pointWeight)
    {
        sum += pointWeight * std::log(value);
        weight += pointWeight;
    }

    double Or(double other) const
    {
        return weight == 0 ? other : std::exp(sum / weight);
    }
};

double
TimeOf(double work, double rate)
{
    // Where no point has this kind of work its rate is 0, and 0 / 0 would be no number.
    return work == 0 ? 0 : work / rate;
}

bool
IsComputeBound(const RooflinePoint& point, const PlainRates& rates)
{
    // A tie counts as arithmetic, as in RooflineRates::IsMemorySeen.
    return TimeOf(point.operations, rates.compute) >= TimeOf(point.bytes, rates.memory);
}

double
RatioOf(const RooflinePoint& point, double work, double launch)
{
    return work / (point.nanos - launch);
}

double
PlainError(std::span<const RooflinePoint> points, const PlainRates& rates, double launch)
{
    double sum = 0;
    for (const RooflinePoint& point : points)
    {
        const double nanos =
            std::max(TimeOf(point.operations, rates.compute), TimeOf(point.bytes, rates.memory)) +
            launch;
        sum += point.weight * std::pow(std::log(nanos / point.nanos), 2);
    }
    return sum;
}

PlainRates
Improve(std::span<const RooflinePoint> points,
        const PlainRates& rates,
        double launch,
        double leastMemory)
{
    LogMean compute;
    LogMean memory;
    for (const RooflinePoint& point : points)
    {
        // Each point asks for a rate. The geometric mean of those of one bound makes the squared
        // error of log time least.
        const bool isCompute = IsComputeBound(point, rates);
        (isCompute ? compute : memory)
            .Add(RatioOf(point, isCompute ? point.operations : point.bytes, launch), point.weight);
    }
    // A bound that holds for no point keeps its rate, and may get points in the next turn.
    return {compute.Or(rates.compute), std::max(leastMemory, memory.Or(rates.memory))};
}

/// The largest rates that a point reached, and half of them: where to begin.
std::vector<PlainRates>
ListBeginnings(std::span<const RooflinePoint> points, double launch, double leastMemory)
{
    PlainRates most{0, leastMemory};
    for (const RooflinePoint& point : points)
    {
        most.compute = std::max(most.compute, RatioOf(point, point.operations, launch));
        most.memory = std::max(most.memory, RatioOf(point, point.bytes, launch));
    }
    return {most,
            {most.compute / 2, most.memory},
            {most.compute, std::max(leastMemory, most.memory / 2)}};
}

struct PlainFit
{
    PlainRates rates;
    double error = std::numeric_limits<double>::max();
    double launch = 0;
};

/// The two steps take turns: which bound holds for a point by the rates, and the rates by the
/// points of each bound. This may end in a local minimum, and a turn may make the error larger, as
/// points come under the other bound. So several beginnings are tried, and the best rates of all
/// turns are kept.
PlainFit
FitPlain(std::span<const RooflinePoint> points, double launch, double leastMemory)
{
    PlainFit best;
    for (PlainRates rates : ListBeginnings(points, launch, leastMemory))
    {
        for (int turn = 0; turn < MOST_TURNS; ++turn)
        {
            const double error = PlainError(points, rates, launch);
            if (error < best.error)
            {
                best = {rates, error, launch};
            }
            rates = Improve(points, rates, launch, leastMemory);
        }
    }
    return best;
}

/// FitPlain finds the rates for a given launch. So launches are tried in equal steps, and the best
/// one is taken.
PlainFit
FitWithLaunch(std::span<const RooflinePoint> points, double leastMemory)
{
    const PlainFit without = FitPlain(points, 0, leastMemory);
    // A launch is a third parameter. With it a fit of few points would be exact and show nothing.
    if (points.size() < LEAST_POINTS_OF_LAUNCH)
    {
        return without;
    }
    // A launch is shorter than the shortest kernel. The last step stays below that too, as RatioOf
    // divides by the rest of the time.
    const double least =
        std::min(LONGEST_LAUNCH, std::ranges::min(points, {}, &RooflinePoint::nanos).nanos);
    PlainFit best = without;
    for (int step = 1; step < LAUNCHES_TRIED; ++step)
    {
        PlainFit fit = FitPlain(points, least * step / LAUNCHES_TRIED, leastMemory);
        best = fit.error < best.error ? fit : best;
    }
    // The errors are sums of squares, so their roots are compared.
    return std::sqrt(best.error) < LAUNCH_GAIN * std::sqrt(without.error) ? best : without;
}

/// Classes whose points want another rate get it.
void
SetClasses(std::span<const RooflinePoint> points, const PlainFit& fit, RooflineRates& rates)
{
    std::map<uint32_t, LogMean> ofClass;
    for (const RooflinePoint& point : points)
    {
        // A class is listed even if memory bounds all of its points: it has the common rate then.
        if (point.operations > 0)
        {
            LogMean& mean = ofClass[point.sizeClass];
            if (IsComputeBound(point, fit.rates))
            {
                mean.Add(RatioOf(point, point.operations, fit.launch), point.weight);
            }
        }
    }
    for (const auto& [sizeClass, mean] : ofClass)
    {
        const double own = mean.Or(fit.rates.compute);
        const bool isOwn = std::abs(std::log(own / fit.rates.compute)) > OWN_RATE_FROM;
        rates.operationsPerNano[sizeClass] = isOwn ? own : fit.rates.compute;
    }
}

/// A point for which both bounds say the same shows neither: the rate of one of them is often just
/// the least that explains this point.
SeenBounds
FindBounds(std::span<const RooflinePoint> points, const RooflineRates& rates)
{
    constexpr double longer = 1.01;
    bool showsCompute = false;
    bool showsMemory = false;
    for (const RooflinePoint& point : points)
    {
        const double compute = rates.ComputeNanosOf(point);
        const double memory = TimeOf(point.bytes, rates.bytesPerNano);
        showsCompute = showsCompute || compute > longer * memory;
        showsMemory = showsMemory || memory > longer * compute;
    }
    if (showsCompute == showsMemory)
    {
        return showsCompute ? SeenBounds::Both : SeenBounds::Either;
    }
    return showsCompute ? SeenBounds::Arithmetic : SeenBounds::Memory;
}

} // namespace

double
RooflineRates::ComputeNanosOf(const RooflinePoint& point) const
{
    const auto rate = operationsPerNano.find(point.sizeClass);
    return point.operations == 0 || rate == operationsPerNano.end()
               ? 0
               : point.operations / rate->second;
}

double
RooflineRates::NanosOf(const RooflinePoint& point) const
{
    return std::max(ComputeNanosOf(point), TimeOf(point.bytes, bytesPerNano)) + launchNanos;
}

RooflineRates
FitRoofline(std::span<const RooflinePoint> points, double leastBytesPerNano)
{
    const PlainFit fit = FitWithLaunch(points, leastBytesPerNano);
    RooflineRates rates;
    rates.bytesPerNano = fit.rates.memory;
    rates.launchNanos = fit.launch;
    SetClasses(points, fit, rates);
    rates.seen = FindBounds(points, rates);
    return rates;
}

double
FindLogError(std::span<const RooflinePoint> points, const RooflineRates& rates)
{
    double sum = 0;
    double weight = 0;
    for (const RooflinePoint& point : points)
    {
        sum += point.weight * std::pow(std::log(rates.NanosOf(point) / point.nanos), 2);
        weight += point.weight;
    }
    return weight == 0 ? 0 : std::sqrt(sum / weight);
}

} // namespace nadi
