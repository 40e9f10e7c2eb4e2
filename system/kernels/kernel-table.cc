// SPDX-License-Identifier: GPL-2.0-only
#include "system/kernels/kernel-table.h"

#include "common/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace nadi
{

namespace
{

// The rows of an op and type are a tree of maps: a level for each axis, in the order of
// KERNEL_SIZES, and the time of a row at the end. A look-up follows, level by level, the size
// itself or the two sizes around it, so with n axes it looks at 2^n rows at most.

std::string
NameRows(const KernelLaunch& kernel)
{
    return kernel.type == NumberType::None
               ? std::string(ToText(kernel.op))
               : fmt::format("{} of {}", ToText(kernel.op), ToText(kernel.type));
}

std::vector<KernelSize>
AxesOf(uint32_t sizes)
{
    std::vector<KernelSize> axes;
    for (size_t i = 0; i < KERNEL_SIZES.size(); ++i)
    {
        if ((sizes >> i & 1U) != 0)
        {
            axes.push_back(KERNEL_SIZES[i]);
        }
    }
    return axes;
}

std::string
NameAxes(const std::vector<KernelSize>& axes)
{
    std::string text;
    for (const KernelSize& axis : axes)
    {
        text += (text.empty() ? "" : ", ") + std::string(axis.name);
    }
    return text.empty() ? "no size" : text;
}

/// Between a at `from` and b at `to`, in logarithms.
/// So doubling a size multiplies the time by the same factor anywhere between the two. Requires:
/// from < at < to, all above 0. A size of 0 in a kernel is below all rows, so Look has refused it.
double
InterpolateLog(double a, double b, uint64_t from, uint64_t to, uint64_t at)
{
    const double share = std::log(double(at) / double(from)) / std::log(double(to) / double(from));
    return a * std::pow(b / a, share);
}

} // namespace

/// One look-up; remembers the axis along which it left the rows.
struct KernelTable::Search
{
    const KernelLaunch& kernel;
    const std::vector<KernelSize>& axes;
    const Slice* missed = nullptr;
    size_t missedAxis = 0;
    bool isBetween = false; ///< of rows, along some axis

    /// The time in picoseconds, if the slice surrounds the kernel along the axes from `axis` on.
    std::optional<double> Look(const Slice& slice, size_t axis)
    {
        if (axis == axes.size())
        {
            return slice.ps;
        }
        const uint64_t at = kernel.*axes[axis].value;
        const auto next = slice.parts.lower_bound(at);
        // A size that has rows of its own needs no neighbours, so a table with one size along this
        // axis answers for this size.
        if (next != slice.parts.end() && next->first == at)
        {
            return Look(next->second, axis + 1);
        }
        if (next == slice.parts.begin() || next == slice.parts.end())
        {
            missed = &slice;
            missedAxis = axis;
            return std::nullopt;
        }
        const auto before = std::prev(next);
        const std::optional<double> a = Look(before->second, axis + 1);
        // Where `a` failed, `next` is not looked at, so that the answer names the first part that
        // does not surround the kernel.
        const std::optional<double> b = a ? Look(next->second, axis + 1) : std::nullopt;
        if (!b)
        {
            return std::nullopt;
        }
        isBetween = true;
        return InterpolateLog(*a, *b, before->first, next->first, at);
    }
};

void
KernelTable::Add(const Row& row)
{
    const std::string where = m_file + ":" + std::to_string(row.line);
    const auto [place, isNew] = m_grids.try_emplace({row.kernel.op, row.kernel.type});
    Grid& grid = place->second;
    if (isNew)
    {
        grid = {.axes = AxesOf(row.sizes), .sizes = row.sizes, .line = row.line, .rows = {}};
    }
    if (grid.sizes != row.sizes)
    {
        throw ConfigError(where,
                          fmt::format("gives {} of {}, but line {} gives {}; rows of one op and "
                                      "dtype must fill in the same columns",
                                      NameAxes(AxesOf(row.sizes)),
                                      NameRows(row.kernel),
                                      grid.line,
                                      NameAxes(grid.axes)));
    }
    Slice* slice = &grid.rows;
    for (const KernelSize& axis : grid.axes)
    {
        slice = &slice->parts[row.kernel.*axis.value];
    }
    // Lines count from 1, so 0 stands for a row that is not there yet.
    if (slice->line != 0)
    {
        throw ConfigError(
            where, fmt::format("is of the same kernel as line {}; keep one of them", slice->line));
    }
    slice->line = row.line;
    slice->ps = static_cast<double>(row.time.Ps());
}

const KernelTable::Grid*
KernelTable::FindGrid(const KernelLaunch& kernel) const
{
    for (const NumberType type : {kernel.type, NumberType::None})
    {
        const auto found = m_grids.find({kernel.op, type});
        if (found != m_grids.end())
        {
            return &found->second;
        }
    }
    return nullptr;
}

bool
KernelTable::HasRowsOf(KernelOp op) const
{
    return std::ranges::any_of(m_grids, [op](const auto& grid) { return grid.first.first == op; });
}

KernelTable::Answer
KernelTable::Find(const KernelLaunch& kernel) const
{
    const Grid* const grid = FindGrid(kernel);
    if (grid == nullptr)
    {
        return {std::nullopt, fmt::format("it has no rows for {}", NameRows(kernel))};
    }
    Search search{kernel, grid->axes};
    if (const std::optional<double> ps = search.Look(grid->rows, 0))
    {
        return {SimTime::FromPs(std::llround(*ps)), "", !search.isBetween};
    }
    return {std::nullopt,
            fmt::format("there its rows for {} have {} from {} to {}",
                        NameRows(kernel),
                        search.axes[search.missedAxis].name,
                        search.missed->parts.begin()->first,
                        search.missed->parts.rbegin()->first)};
}

} // namespace nadi
