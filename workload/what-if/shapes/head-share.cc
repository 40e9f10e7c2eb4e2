// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/head-share.h"

#include "common/error.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace nadi
{

namespace
{

/// Whether all ranks get equally many heads, and equally many heads of keys and values, or one head
/// of keys and values that equally many ranks share.
bool
IsEven(const ShapeSizes& sizes, uint64_t tensor)
{
    return sizes.heads % tensor == 0 &&
           (sizes.kvHeads % tensor == 0 || tensor % sizes.kvHeads == 0);
}

/// "1, 2 or 4".
std::string
ListEvenDegrees(const ShapeSizes& sizes)
{
    std::string list = "1";
    std::string last;
    for (uint64_t tensor = 2; tensor <= sizes.heads; ++tensor)
    {
        if (IsEven(sizes, tensor))
        {
            list += last.empty() ? "" : ", " + last;
            last = std::to_string(tensor);
        }
    }
    return last.empty() ? list : list + " or " + last;
}

std::string
DescribeHeads(const ShapeSizes& sizes)
{
    return sizes.kvHeads == sizes.heads
               ? fmt::format("{} heads", sizes.heads)
               : fmt::format("{} heads, with {} of keys and values,", sizes.heads, sizes.kvHeads);
}

} // namespace

void
CheckHeadShare(const ShapeSizes& recorded, const ShapeSizes& target)
{
    const bool isOtherDegree = target.tensor != recorded.tensor;
    const bool isOther = isOtherDegree || target.heads != recorded.heads;
    if (!isOther || target.heads == 0 || IsEven(target, target.tensor))
    {
        return;
    }
    const std::string problem =
        fmt::format("{} cannot be shared evenly by {} tensor-parallel ranks",
                    DescribeHeads(target),
                    target.tensor);
    if (isOtherDegree)
    {
        throw ConfigError("what-if: tp",
                          fmt::format("{}; write {}", problem, ListEvenDegrees(target)));
    }
    throw ConfigError("what-if: heads",
                      fmt::format("{}; write a multiple of {}",
                                  problem,
                                  target.tensor * (target.heads / target.kvHeads)));
}

} // namespace nadi
