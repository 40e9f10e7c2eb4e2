// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/split-attributes.h"

#include "workload/trace/node-numbers.h"

#include <fmt/format.h>

#include <limits>
#include <memory>

namespace nadi
{

namespace
{

/// The counts of one list, as they are written.
std::vector<uint64_t>
ReadCounts(const std::string& source, const NodeRecord& record, SplitList which)
{
    const SplitNumbers& list = record.Splits(which);
    if (!list.isList)
    {
        ThrowAtNode(source,
                    record,
                    fmt::format("{} is no list of whole numbers; write one for each rank of the "
                                "group",
                                ToText(which)));
    }
    std::vector<uint64_t> counts;
    for (const int64_t number : list.numbers)
    {
        if (number < 0)
        {
            ThrowAtNode(
                source,
                record,
                fmt::format("{} has {}; write numbers of elements from 0", ToText(which), number));
        }
        counts.push_back(static_cast<uint64_t>(number));
    }
    return counts;
}

/// None above 2^63, whatever the numbers: past it, it stays there.
uint64_t
AddUp(const std::vector<uint64_t>& counts)
{
    constexpr auto most = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    uint64_t sum = 0;
    for (const uint64_t count : counts)
    {
        sum = count > most - sum ? most : sum + count;
    }
    return sum;
}

// Requires: the products fit 63 bits. ReadSplits has checked their sum.
std::vector<uint64_t>
Multiply(std::vector<uint64_t> counts, uint64_t factor)
{
    for (uint64_t& count : counts)
    {
        count *= factor;
    }
    return counts;
}

} // namespace

// Example: with a comm_size of 4096, an in_split_size of [1, 3] means elements of 1024, so the
// parts are 1024 and 3072.
SharedSplits
ReadSplits(const std::string& source, const NodeRecord& record, const ExecutionNode& node)
{
    std::vector<uint64_t> sends = ReadCounts(source, record, SplitList::In);
    std::vector<uint64_t> receives = ReadCounts(source, record, SplitList::Out);
    if (sends.empty())
    {
        return nullptr;
    }
    const uint64_t sum = AddUp(sends);
    // The trace counts splits in elements of the tensor, and comm_size in its own unit. Their ratio
    // is the size of an element, which has to be whole.
    const bool addsUp = sum == 0 ? node.size == 0 : node.size % sum == 0;
    // A size of 0 is a multiple of any sum, but its elements would have no bytes.
    if (!addsUp || (sum > 0 && node.size == 0))
    {
        ThrowAtNode(source,
                    record,
                    fmt::format("in_split_size has {} elements in all, but comm_size is {}, which "
                                "is no multiple of that; write parts that add up to it",
                                sum,
                                node.size));
    }
    const uint64_t element = sum == 0 ? 1 : node.size / sum;
    if (AddUp(receives) > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) / element)
    {
        ThrowAtNode(
            source, record, "out_split_size has sizes past 63 bits; write what it really receives");
    }
    return std::make_shared<const ExchangeSplits>(
        ExchangeSplits{.sends = Multiply(std::move(sends), element),
                       .receives = Multiply(std::move(receives), element)});
}

} // namespace nadi
