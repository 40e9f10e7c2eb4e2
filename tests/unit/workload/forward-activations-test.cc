// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/forward-activations.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace nadi;

namespace
{

/// Of numbers of 2 B: 8 heads of 64, of which 2 have keys and values, and three matrices in an MLP.
ForwardModel
SmallServed()
{
    ForwardModel model;
    model.shape.layers = 2;
    model.shape.hidden = 512;
    model.shape.heads = 8;
    model.shape.kvHeads = 2;
    model.shape.headSize = 64;
    model.shape.ffn = 1024;
    model.shape.vocabulary = 4096;
    model.shape.isGated = true;
    return model;
}

PassBatch
BatchOf(uint64_t tokens, uint64_t sampled)
{
    PassBatch batch;
    batch.tokens = tokens;
    batch.sampled = sampled;
    return batch;
}

} // namespace

TEST_CASE("Activations: the residual stream, and what the largest kernel reads and writes",
          "[unit][workload][serving]")
{
    const ForwardModel model = SmallServed();
    // The MLP reads 512 and writes two vectors of 1024, more than the attention: 512 in, 512 + 256
    // out.
    CHECK(ActivationBytesOfPass(model, model.shape, BatchOf(100, 0)) ==
          100 * (512 + 512 + 2 * 1024) * 2);
    // With few tokens and many that are sampled the head has the most.
    CHECK(ActivationBytesOfPass(model, model.shape, BatchOf(100, 100)) ==
          100 * (512 + 512 + 4096) * 2);
    // A narrow MLP: queries, keys, values and outputs lie beside each other in the core.
    ForwardModel narrow = model;
    narrow.shape.ffn = 100;
    CHECK(ActivationBytesOfPass(narrow, narrow.shape, BatchOf(100, 0)) ==
          100 * (512 + std::max(512 + 512 + 256, 512 + 256 + 512)) * 2);
}

TEST_CASE("Activations: a rank of a tensor group has its part, and the whole residual stream",
          "[unit][workload][serving]")
{
    ForwardModel model = SmallServed();
    model.tensor = 2;
    const TransformerShape part = model.Parts().front();
    CHECK(ActivationBytesOfPass(model, part, BatchOf(100, 0)) == 100 * (512 + 512 + 1024) * 2);
}

TEST_CASE("Activations: copies of tokens lie with those who send them and with the experts",
          "[unit][workload][serving]")
{
    ForwardModel model = SmallServed();
    model.shape.experts = 8;
    model.shape.topK = 4;
    model.shape.expertFfn = 256;
    const PassBatch batch = BatchOf(100, 0);
    // On the same rank: 4 copies of 512 numbers each, and two vectors of 256.
    CHECK(ActivationBytesOfPass(model, model.shape, batch) ==
          100 * (512 + 4 * (512 + 2 * 256)) * 2);
    // On several: results come and go, as many as there are.
    model.expert = 4;
    CHECK(ActivationBytesOfPass(model, model.shape, batch) == 100 * (512 + 4 * 2 * 512) * 2);
    // Apart: the attention sends and gets them, the experts have what is inside too.
    model.expert = 1;
    model.isWithoutExperts = true;
    CHECK(ActivationBytesOfPass(model, model.shape, batch) == 100 * (512 + 4 * 2 * 512) * 2);
    CHECK(ActivationBytesOfExperts(model, 700) == 700 * (512 + 2 * 256 + 512) * 2);
}
