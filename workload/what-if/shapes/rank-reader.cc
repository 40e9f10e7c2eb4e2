// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/rank-reader.h"

namespace nadi
{

RankMeaning
ReadRank(const RankContext& context, const std::string& wish)
{
    RankMeaning meaning;
    SizeSightings sizes(context.graph, wish);
    // Order: each reader needs what those before it found. Calls of layers are told by the works
    // beside them, calls among copies by works and by being no calls of layers, other kernels by
    // what stands before them in their block.
    ReadPassWorks(context, sizes, meaning);
    ReadLayerCalls(context, sizes, meaning);
    ReadCopyCalls(context, sizes, meaning);
    ReadOtherKernels(context, meaning);
    meaning.seen = sizes.Seen();
    return meaning;
}

} // namespace nadi
