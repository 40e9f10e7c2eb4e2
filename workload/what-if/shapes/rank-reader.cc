// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/rank-reader.h"

namespace nadi
{

RankMeaning
ReadRank(const RankContext& context, const std::string& wish)
{
    RankMeaning meaning;
    SizeSightings sizes(context.graph, wish);
    ReadPassWorks(context, sizes, meaning);
    ReadLayerCalls(context, sizes, meaning);
    ReadCopyCalls(context, sizes, meaning);
    ReadOtherKernels(context, meaning);
    meaning.seen = sizes.Seen();
    return meaning;
}

} // namespace nadi
