// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "system/kernels/kernel-launch.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

/// Measured times of kernels, by op, type of numbers and sizes.
///
/// The rows of one op and type fill in the same sizes; these are their axes. A size that they leave
/// empty does not count. Rows without a type are for kernels of any type that has no rows of its
/// own.
///
/// Between rows the logarithm of the time is linear in the logarithm of a size, along one axis
/// after the other in the order of KERNEL_SIZES. So only the rows that surround a kernel must be
/// there, no whole grid.
class KernelTable
{
  public:
    /// Throws ConfigError with file:line for an unknown column, op or dtype, a number that is none,
    /// and rows that Add refuses; with the file where it cannot be read.
    static KernelTable Read(const std::string& file);

    struct Row
    {
        KernelLaunch kernel;
        uint32_t sizes = 0; ///< which are filled in: bit i is KERNEL_SIZES[i]
        SimTime time;       ///< above 0
        uint64_t line = 0;  ///< of the file
    };

    /// Adds a row. Throws ConfigError at its line where the rows of its op and type have other
    /// sizes, or where one is equal.
    void Add(const Row& row);

    explicit KernelTable(std::string file)
        : m_file(std::move(file))
    {
    }

    /// A time, or why there is none: "its gemm of bf16 has m from 16 to 512".
    struct Answer
    {
        std::optional<SimTime> time;
        std::string problem;
        bool isExact = false; ///< of a row of these sizes, not between rows

        bool IsKnown() const
        {
            return time.has_value();
        }
    };

    /// Rounded to the nearest picosecond, and exact at a row.
    Answer Find(const KernelLaunch& kernel) const;

    /// Whether kernels of this op have rows, whatever their types and sizes.
    bool HasRowsOf(KernelOp op) const;

    const std::string& File() const
    {
        return m_file;
    }

  private:
    /// The rows that agree in the axes before; by the next one.
    struct Slice
    {
        std::map<uint64_t, Slice> parts;
        double ps = 0;     ///< behind the last axis
        uint64_t line = 0; ///< likewise
    };

    struct Grid
    {
        std::vector<KernelSize> axes;
        uint32_t sizes = 0;
        uint64_t line = 0; ///< of its first row
        Slice rows;
    };

    struct Search;

    const Grid* FindGrid(const KernelLaunch& kernel) const;

    std::string m_file;
    std::map<std::pair<KernelOp, NumberType>, Grid> m_grids;
};

} // namespace nadi
