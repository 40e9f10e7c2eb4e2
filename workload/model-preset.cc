// SPDX-License-Identifier: GPL-2.0-only
#include "workload/model-preset.h"

#include <algorithm>

namespace nadi
{

namespace
{

using Values = std::map<std::string, std::string>;

/// What GPT-2 and its successors have in common: biases, layer norms, learned positions, a plain
/// MLP of 4 x hidden, a tied head.
Values
MakeGpt(Values values)
{
    // Merging keeps what a preset has given itself.
    values.merge(Values{{"biases", "on"},
                        {"norm", "layer"},
                        {"positions", "learned"},
                        {"mlp", "plain"},
                        {"tied-embeddings", "on"}});
    return values;
}

/// What Llama and its relatives have in common: no biases, RMS norms, rotary positions, SwiGLU, a
/// head of its own.
Values
MakeLlama(Values values)
{
    values.merge(Values{{"biases", "off"},
                        {"norm", "rms"},
                        {"positions", "rotary"},
                        {"mlp", "gated"},
                        {"tied-embeddings", "off"}});
    return values;
}

ModelPreset
MakeTransformer(const std::string& name, const std::string& help, Values parameters)
{
    return {name, "transformer", help, std::move(parameters)};
}

std::vector<ModelPreset>
MakePresets()
{
    return {
        MakeTransformer("deepseek-v3",
                        "DeepSeek-V3 has 671 B parameters, of which 37 B are active for a token "
                        "(DeepSeek-AI, arXiv 2412.19437, section 4.2, and the released "
                        "config.json). The multi-token prediction module is left out.",
                        MakeLlama({{"layers", "61"},
                                   {"hidden", "7168"},
                                   {"heads", "128"},
                                   {"head-size", "128"},
                                   {"query-rank", "1536"},
                                   {"kv-rank", "512"},
                                   {"rope-head-size", "64"},
                                   {"value-head-size", "128"},
                                   {"ffn", "18432"},
                                   {"experts", "256"},
                                   {"top-k", "8"},
                                   {"shared-experts", "1"},
                                   {"expert-ffn", "2048"},
                                   {"dense-layers", "3"},
                                   {"vocabulary", "129280"},
                                   {"sequence", "4096"}})),
        {"dlrm",
         "dlrm",
         "The DLRM of the MLPerf training benchmark on Criteo's terabyte data has 26 tables and "
         "MLPs of widths 13-512-256-128 and 479-1024-1024-512-256-1 (the mlcommons/training "
         "reference).",
         {{"tables", "26"},
          {"vector-size", "128"},
          {"lookups", "1"},
          {"bottom", "13,512,256,128"},
          {"top", "1024,1024,512,256,1"}}},
        MakeTransformer("gpt3-175b",
                        "GPT-3 has 175 B parameters (Brown et al., arXiv 2005.14165, table 2.1) "
                        "and the vocabulary of GPT-2.",
                        MakeGpt({{"layers", "96"},
                                 {"hidden", "12288"},
                                 {"heads", "96"},
                                 {"vocabulary", "50257"},
                                 {"sequence", "2048"}})),
        MakeTransformer(
            "llama3-405b",
            "This Llama 3.1 model has 405 B parameters (Dubey et al., arXiv 2407.21783, table 3).",
            MakeLlama({{"layers", "126"},
                       {"hidden", "16384"},
                       {"heads", "128"},
                       {"kv-heads", "8"},
                       {"ffn", "53248"},
                       {"vocabulary", "128256"},
                       {"sequence", "8192"}})),
        MakeTransformer(
            "llama3-70b",
            "This Llama 3 model has 70 B parameters (Dubey et al., arXiv 2407.21783, table 3).",
            MakeLlama({{"layers", "80"},
                       {"hidden", "8192"},
                       {"heads", "64"},
                       {"kv-heads", "8"},
                       {"ffn", "28672"},
                       {"vocabulary", "128256"},
                       {"sequence", "8192"}})),
        MakeTransformer(
            "llama3-8b",
            "This Llama 3 model has 8 B parameters (Dubey et al., arXiv 2407.21783, table 3).",
            MakeLlama({{"layers", "32"},
                       {"hidden", "4096"},
                       {"heads", "32"},
                       {"kv-heads", "8"},
                       {"ffn", "14336"},
                       {"vocabulary", "128256"},
                       {"sequence", "8192"}})),
        MakeTransformer("mixtral-8x22b",
                        "Mixtral 8x22B has 141 B parameters, of which 39 B are active for a token "
                        "(Mistral AI, the released config.json of version 0.1).",
                        MakeLlama({{"layers", "56"},
                                   {"hidden", "6144"},
                                   {"heads", "48"},
                                   {"kv-heads", "8"},
                                   {"ffn", "16384"},
                                   {"experts", "8"},
                                   {"top-k", "2"},
                                   {"vocabulary", "32000"},
                                   {"sequence", "4096"}})),
        MakeTransformer("mixtral-8x7b",
                        "Mixtral 8x7B has 47 B parameters, of which 13 B are active for a token "
                        "(Jiang et al., arXiv 2401.04088, table 1).",
                        MakeLlama({{"layers", "32"},
                                   {"hidden", "4096"},
                                   {"heads", "32"},
                                   {"kv-heads", "8"},
                                   {"ffn", "14336"},
                                   {"experts", "8"},
                                   {"top-k", "2"},
                                   {"vocabulary", "32000"},
                                   {"sequence", "4096"}})),
        MakeTransformer("opt-66b",
                        "OPT-66B has 66 B parameters (Zhang et al., arXiv 2205.01068, table 1, and "
                        "the released config.json).",
                        MakeGpt({{"layers", "64"},
                                 {"hidden", "9216"},
                                 {"heads", "72"},
                                 {"vocabulary", "50272"},
                                 {"sequence", "2048"}})),
        MakeTransformer(
            "qwen3-235b",
            "Qwen3-235B-A22B has 235 B parameters, of which 22 B are active for a token "
            "(Qwen Team, arXiv 2505.09388, table 2, and the released config.json). The "
            "norms of queries and keys are left out.",
            MakeLlama({{"layers", "94"},
                       {"hidden", "4096"},
                       {"heads", "64"},
                       {"kv-heads", "4"},
                       {"head-size", "128"},
                       {"ffn", "12288"},
                       {"experts", "128"},
                       {"top-k", "8"},
                       {"expert-ffn", "1536"},
                       {"vocabulary", "151936"},
                       {"sequence", "4096"}})),
        MakeTransformer(
            "transformer-17b",
            "Turing-NLG has 17 B parameters (Microsoft Research, \"Turing-NLG: A "
            "17-billion-parameter language model\", 2020); the vocabulary is that of GPT-2.",
            MakeGpt({{"layers", "78"},
                     {"hidden", "4256"},
                     {"heads", "28"},
                     {"vocabulary", "50257"},
                     {"sequence", "1024"}})),
        MakeTransformer(
            "transformer-1t",
            "This GPT has 1 T parameters (Narayanan et al., \"Efficient large-scale language model "
            "training on GPU clusters using Megatron-LM\", SC 2021, table 1).",
            MakeGpt({{"layers", "128"},
                     {"hidden", "25600"},
                     {"heads", "160"},
                     {"vocabulary", "51200"},
                     {"sequence", "2048"}})),
    };
}

} // namespace

const std::vector<ModelPreset>&
AllModelPresets()
{
    static const std::vector<ModelPreset> presets = MakePresets();
    return presets;
}

std::vector<std::string>
PresetsOf(const std::string& model)
{
    std::vector<std::string> names;
    for (const ModelPreset& preset : AllModelPresets())
    {
        if (preset.model == model)
        {
            names.push_back(preset.name);
        }
    }
    return names;
}

const ModelPreset*
FindModelPreset(const std::string& name)
{
    const auto& presets = AllModelPresets();
    const auto found = std::find_if(presets.begin(),
                                    presets.end(),
                                    [&](const ModelPreset& preset) { return preset.name == name; });
    return found == presets.end() ? nullptr : &*found;
}

} // namespace nadi
