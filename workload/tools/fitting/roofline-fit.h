// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/kernels/kernel-models.h"

#include <cstdint>
#include <map>
#include <span>

namespace nadi
{

/// A kernel of some work and what it took.
struct RooflinePoint
{
    double operations = 0;
    double bytes = 0;
    double nanos = 0; ///< above 0
    double weight = 1;
    uint32_t sizeClass = 0; ///< of the operations; any where there are none
};

/// nanos = max(operations / rate of the class, bytes / memory rate) + launch.
struct RooflineRates
{
    std::map<uint32_t, double> operationsPerNano; ///< by size class
    double bytesPerNano = 0;                      ///< 0: no point has bytes
    double launchNanos = 0;
    SeenBounds seen = SeenBounds::Both; ///< what bounds the points

    /// Some point is bound by its operations, as far as is known.
    bool IsComputeSeen() const
    {
        return seen != SeenBounds::Memory;
    }

    /// Likewise by its bytes. Where either bound fits, arithmetic is taken.
    bool IsMemorySeen() const
    {
        return seen == SeenBounds::Both || seen == SeenBounds::Memory;
    }

    /// What its operations alone take, without the launch; 0 where there are none.
    double ComputeNanosOf(const RooflinePoint& point) const;

    double NanosOf(const RooflinePoint& point) const;
};

/// The rates by least squares of the logarithm of time.
///
/// Which bound holds for a point follows from the rates, and the rates from that, so both are found
/// in turn, from several beginnings. A size class has a rate of its own only where the one of all
/// classes is wrong for it by more than half a percent: a pure roofline comes out as one. A launch
/// is at most 10 us, and is kept only where it makes the error smaller by a tenth and there are at
/// least four points.
///
/// Where no point is bound by its bytes, the memory rate is the least that explains all of them;
/// likewise of operations. Where both explain all of them, either bound holds. The memory rate is
/// not below `leastBytesPerNano`.
RooflineRates FitRoofline(std::span<const RooflinePoint> points, double leastBytesPerNano = 0);

/// The root of the weighted mean of the squared errors of log time.
double FindLogError(std::span<const RooflinePoint> points, const RooflineRates& rates);

} // namespace nadi
