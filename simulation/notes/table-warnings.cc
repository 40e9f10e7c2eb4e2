// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/table-warnings.h"

#include "common/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

namespace nadi
{

namespace
{

/// "gemm bf16".
std::string
NameKind(KernelOp op, NumberType type)
{
    return type == NumberType::None ? std::string(ToText(op))
                                    : fmt::format("{} {}", ToText(op), ToText(type));
}

std::string
NameOfFile(const KernelTable& table)
{
    return std::filesystem::path(table.File()).filename().string();
}

/// One kernel that the table lacks, and why: of an op that the table has rows of, if there is one.
std::string
GiveExample(const KernelTable& table, const TableUse& use)
{
    const TableUse::Kind* example = nullptr;
    for (const auto& [key, kind] : use.Kinds())
    {
        if (!kind.problem.empty() && (example == nullptr || table.HasRowsOf(key.first)))
        {
            example = &kind;
            if (table.HasRowsOf(key.first))
            {
                break;
            }
        }
    }
    return fmt::format("{}: {}", ToText(example->firstLeft), example->problem);
}

std::string
DescribeIdleTable(const KernelTable& table, const TableUse& use)
{
    if (use.Left() == 0)
    {
        return fmt::format("{} timed nothing, as no compute node names its kernels; "
                           "system.compute.kernels had no effect",
                           NameOfFile(table));
    }
    return fmt::format("{} timed none of {}; system.compute.kernels had no effect. One of them is "
                       "{}",
                       NameOfFile(table),
                       CountText(use.Left(), "kernel"),
                       GiveExample(table, use));
}

/// Kinds of which the table has rows, and yet not for all their kernels.
std::vector<std::string>
DescribePartialTable(const KernelTable& table, const TableUse& use)
{
    std::vector<std::string> counts;
    for (const auto& [key, kind] : use.Kinds())
    {
        const auto& [op, type] = key;
        if (!kind.problem.empty() && table.HasRowsOf(op))
        {
            counts.push_back(fmt::format("{} of {} ({})",
                                         kind.timed,
                                         CountText(kind.timed + kind.left, "kernel"),
                                         NameKind(op, type)));
        }
    }
    if (counts.empty())
    {
        return {};
    }
    return {fmt::format("{} timed {}, and the roofline the others. One of them is {}",
                        NameOfFile(table),
                        fmt::join(counts, ", "),
                        GiveExample(table, use))};
}

} // namespace

std::vector<std::string>
FindTableWarnings(const RunInput& input, const RunResults& results)
{
    const KernelTable* const table = input.Compute().Table();
    const TableUse& use = results.tableUse;
    const bool hasAsked = !use.Kinds().empty() || use.Nameless() > 0;
    if (table == nullptr || !hasAsked || results.status == RunStatus::Interrupted)
    {
        return {};
    }
    return use.Timed() == 0 ? std::vector{DescribeIdleTable(*table, use)}
                            : DescribePartialTable(*table, use);
}

} // namespace nadi
