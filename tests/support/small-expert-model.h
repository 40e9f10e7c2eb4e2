// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <map>
#include <string>

namespace nadi::test
{

/// Parameters of a transformer of 4 layers, the first one dense, with 8 experts of 3 x 64 x 32
/// numbers of 2 B.
inline std::map<std::string, std::string>
SmallExpertModel()
{
    return {{"layers", "4"},
            {"hidden", "64"},
            {"heads", "4"},
            {"kv-heads", "4"},
            {"head-size", "16"},
            {"vocabulary", "100"},
            {"mlp", "gated"},
            {"biases", "off"},
            {"positions", "rotary"},
            {"experts", "8"},
            {"top-k", "2"},
            {"expert-ffn", "32"},
            {"dense-layers", "1"},
            {"dtype", "bf16"},
            {"expert-dtype", "bf16"},
            {"kv-dtype", "bf16"}};
}

} // namespace nadi::test
