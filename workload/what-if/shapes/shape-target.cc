// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/shape-target.h"

#include "common/error.h"
#include "workload/what-if/shapes/head-share.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace nadi
{

namespace
{

constexpr uint64_t MOST = uint64_t{1} << 24;

[[noreturn]] void
Refuse(const std::string& key, const std::string& why)
{
    throw ConfigError("what-if: " + key, why);
}

/// Sets a size that was recorded.
void
Set(uint64_t& size, const std::optional<uint32_t>& wish, const char* key, const char* what)
{
    if (!wish)
    {
        return;
    }
    if (size == 0)
    {
        Refuse(key, fmt::format("the recording shows no {} that could be another", what));
    }
    if (*wish > MOST)
    {
        Refuse(key, fmt::format("{} is more than {}; write a smaller number", *wish, MOST));
    }
    size = *wish;
}

void
SetHeads(ShapeSizes& target, const ShapeSizes& recorded, const ShapeWish& wish)
{
    Set(target.hidden, wish.hidden, "hidden", "hidden width");
    Set(target.heads, wish.heads, "heads", "attention");
    const uint64_t headsOfGroup = recorded.heads / recorded.kvHeads;
    if (target.heads % headsOfGroup != 0)
    {
        Refuse("heads",
               fmt::format("{} heads share keys and values in groups of {}, as recorded; write a "
                           "multiple of {}",
                           target.heads,
                           headsOfGroup,
                           headsOfGroup));
    }
    // Heads share keys and values in groups as large as recorded.
    target.kvHeads = target.heads / headsOfGroup;
    // Heads that were wider or narrower together than the hidden width have a size of their own,
    // which stays.
    if (recorded.heads * recorded.headSize != recorded.hidden)
    {
        return;
    }
    if (target.hidden % target.heads != 0)
    {
        Refuse(wish.hidden ? "hidden" : "heads",
               fmt::format("heads are together as wide as the hidden width, and {} is no multiple "
                           "of {} heads; write one that is",
                           target.hidden,
                           target.heads));
    }
    target.headSize = target.hidden / target.heads;
}

void
SetExpert(ShapeSizes& target, const ShapeWish& wish)
{
    if (!wish.expert || *wish.expert == target.expert)
    {
        return;
    }
    if (target.experts == 0)
    {
        Refuse("ep",
               "no layer has experts; remove ep, or give a recording of a mixture of experts");
    }
    if (target.experts % *wish.expert != 0)
    {
        Refuse("ep",
               fmt::format("{} experts on {} ranks; write a divisor of {}",
                           target.experts,
                           *wish.expert,
                           target.experts));
    }
    target.expert = *wish.expert;
}

/// The model does not have a size of 0, so no rank needs a part of it.
void
CheckPart(uint64_t count, const ShapeSizes& target, const char* what)
{
    if (count > 0 && target.tensor > count)
    {
        Refuse("tp",
               fmt::format("{} ranks cannot share {} {}; write {} or fewer",
                           target.tensor,
                           count,
                           what,
                           count));
    }
}

} // namespace

ShapeSizes
FindTarget(const ShapeSizes& recorded, const ShapeWish& wish)
{
    ShapeSizes target = recorded;
    SetHeads(target, recorded, wish);
    // Of a model with both kinds of layers only the dense ones change.
    Set(recorded.ffn > 0 ? target.ffn : target.expertFfn, wish.ffn, "ffn", "MLP");
    Set(target.sequence, wish.sequence, "sequence", "sequences");
    Set(target.microBatch, wish.microBatch, "micro-batch", "micro-batches");
    SetExpert(target, wish);
    target.tensor = wish.tensor.value_or(static_cast<uint32_t>(recorded.tensor));
    CheckHeadShare(recorded, target);
    return target;
}

void
CheckCut(const ShapeSizes& target, TensorMode mode)
{
    CheckPart(target.heads, target, "heads");
    CheckPart(target.ffn, target, "ffn");
    CheckPart(target.expertFfn, target, "expert-ffn");
    CheckPart(target.vocabulary, target, "vocabulary");
    if (mode == TensorMode::Scattered && target.Tokens() % target.tensor != 0)
    {
        Refuse(
            "sp",
            fmt::format("{} tokens of a micro-batch cannot be cut evenly over {} tensor-parallel "
                        "ranks; write a degree that divides them",
                        target.Tokens(),
                        target.tensor));
    }
}

} // namespace nadi
