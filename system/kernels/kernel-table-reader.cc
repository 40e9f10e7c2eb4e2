// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "common/table-lines.h"
#include "common/text.h"
#include "system/kernels/kernel-table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace nadi
{

namespace
{

constexpr double PS_PER_MICROSECOND = 1e6;
// This is 11 days; the clock has 106.
constexpr double MOST_MICROSECONDS = 1e12;

constexpr const char* ALL_KERNEL_COLUMNS = "op, dtype, m, n, k, batch, context, tp, bytes, us";

bool
IsKernelColumn(std::string_view name)
{
    return name == "op" || name == "dtype" || name == "us" ||
           std::ranges::find(KERNEL_SIZES, name, &KernelSize::name) != KERNEL_SIZES.end();
}

/// The names of the columns, in the order of the file.
std::vector<std::string>
ReadKernelColumns(const TableLines& lines)
{
    std::vector<std::string> columns;
    for (const std::string_view name : SplitAtCommas(lines.Line()))
    {
        if (!IsKernelColumn(name))
        {
            throw ConfigError(lines.Where(),
                              fmt::format("\"{}\" is no column of a kernel table; write some of {}",
                                          name,
                                          ALL_KERNEL_COLUMNS));
        }
        if (std::ranges::find(columns, name) != columns.end())
        {
            throw ConfigError(lines.Where(),
                              fmt::format("column {} comes twice; remove one", name));
        }
        columns.emplace_back(name);
    }
    for (const char* const needed : {"op", "us"})
    {
        if (std::ranges::find(columns, needed) == columns.end())
        {
            throw ConfigError(lines.Where(),
                              fmt::format("column {} is missing; write some of {}, op and us among "
                                          "them",
                                          needed,
                                          ALL_KERNEL_COLUMNS));
        }
    }
    return columns;
}

SimTime
ReadMicroseconds(std::string_view text, const std::string& where)
{
    double us = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, us);
    // The condition is negated, so that NaN is refused too. Half a picosecond is the least that is
    // not rounded to 0, and MOST_MICROSECONDS fits the clock.
    const bool isNumber = error == std::errc() && end == last;
    if (!isNumber || !(us * PS_PER_MICROSECOND >= 0.5) || us > MOST_MICROSECONDS)
    {
        throw ConfigError(where,
                          fmt::format("us: \"{}\" is no time; write microseconds above 0, such as "
                                      "12.5",
                                      text));
    }
    return SimTime::FromPs(std::llround(us * PS_PER_MICROSECOND));
}

void
ReadKernelSize(KernelTable::Row& row,
               std::string_view column,
               std::string_view text,
               const std::string& where)
{
    const auto size = std::ranges::find(KERNEL_SIZES, column, &KernelSize::name);
    const uint64_t value = ReadCount(text, column, where);
    // In KernelLaunch 0 stands for a size that does not apply. In a table that is an empty cell.
    if (value == 0)
    {
        throw ConfigError(where,
                          fmt::format("{} is 0; write a number from 1, or leave it empty where it "
                                      "does not apply",
                                      column));
    }
    row.kernel.*size->value = value;
    row.sizes |= 1U << static_cast<uint32_t>(size - KERNEL_SIZES.begin());
}

void
ReadKernelCell(KernelTable::Row& row,
               const std::string& column,
               std::string_view text,
               const std::string& where)
{
    if (column == "op")
    {
        const std::optional<KernelOp> op = FindKernelOp(text);
        if (!op)
        {
            throw ConfigError(where,
                              fmt::format("op: \"{}\" is none; write {}", text, ListKernelOps()));
        }
        row.kernel.op = *op;
        return;
    }
    if (column == "dtype")
    {
        const std::optional<NumberType> type = FindNumberType(text);
        if (!type)
        {
            throw ConfigError(where,
                              fmt::format("dtype: \"{}\" is none; write bf16, fp16, fp32, fp8, or "
                                          "nothing for any",
                                          text));
        }
        row.kernel.type = *type;
        return;
    }
    if (column == "us")
    {
        row.time = ReadMicroseconds(text, where);
        return;
    }
    if (!text.empty())
    {
        ReadKernelSize(row, column, text, where);
    }
}

KernelTable::Row
ReadKernelRow(const TableLines& lines, const std::vector<std::string>& columns)
{
    const std::vector<std::string_view> cells = SplitAtCommas(lines.Line());
    if (cells.size() != columns.size())
    {
        throw ConfigError(lines.Where(),
                          fmt::format("has {}; the header has {}",
                                      CountText(cells.size(), "cell"),
                                      columns.size()));
    }
    KernelTable::Row row{.kernel = {}, .sizes = 0, .time = {}, .line = lines.Number()};
    for (size_t i = 0; i < cells.size(); ++i)
    {
        ReadKernelCell(row, columns[i], cells[i], lines.Where());
    }
    return row;
}

} // namespace

KernelTable
KernelTable::Read(const std::string& file)
{
    TableLines lines(file);
    KernelTable table(file);
    if (!lines.Next())
    {
        throw ConfigError(
            file,
            fmt::format("is empty; write a header with some of {}, and rows", ALL_KERNEL_COLUMNS));
    }
    const std::vector<std::string> columns = ReadKernelColumns(lines);
    while (lines.Next())
    {
        table.Add(ReadKernelRow(lines, columns));
    }
    if (table.m_grids.empty())
    {
        throw ConfigError(lines.Where(), "has no rows; write one for each measured kernel");
    }
    return table;
}

} // namespace nadi
