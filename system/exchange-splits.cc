// SPDX-License-Identifier: GPL-2.0-only
#include "system/exchange-splits.h"

#include "system/collective-plan.h"

namespace nadi
{

uint64_t
SentTo(const ExchangeSplits* splits, uint64_t elements, uint32_t place, uint32_t members)
{
    return splits != nullptr ? splits->sends[place]
                             : PartOf({0, elements}, place, members).Length();
}

bool
AreEqualParts(const std::vector<uint64_t>& sends, uint64_t elements)
{
    const auto parts = static_cast<uint32_t>(sends.size());
    for (uint32_t part = 0; part < parts; ++part)
    {
        if (sends[part] == 0 || sends[part] != PartOf({0, elements}, part, parts).Length())
        {
            return false;
        }
    }
    return true;
}

} // namespace nadi
