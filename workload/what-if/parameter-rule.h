// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/recorded-stage.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace nadi
{

/// What tells of which parameters a single stage with an embedding and a head has so many.
struct EndsEvidence
{
    uint64_t updated = 0; ///< parameters of the optimizer
    uint64_t layers = 0;
    uint64_t matrices = 0; ///< of a layer, in parameters
    uint64_t columns = 0;  ///< of these
    uint64_t hidden = 0;
    uint64_t head = 0; ///< parameters of its matrix
    /// Parameters of matrices that the kernels before the layers multiply by, as a convolution
    /// does; a lookup has none.
    uint64_t first = 0;
    uint64_t sequence = 0; ///< tokens that an attention looks at; 0: unknown
};

/// What a layer can have beyond its matrices: two norms and biases, in parameters.
struct LayerForm
{
    uint64_t norm = 0;   ///< of one
    uint64_t beyond = 0; ///< of both norms and the biases
};

/// Norms of two vectors or of one; biases of all columns or none.
std::array<LayerForm, 4> ListLayerForms(uint64_t hidden, uint64_t columns);

/// Norms, biases and positions that, with all matrices, are exactly what the optimizer updates.
struct ParameterRule
{
    bool isSingle = false;      ///< there is no large matrix beside the head's (HasSingleMatrix)
    uint64_t beyondOfLayer = 0; ///< norms and biases
    uint64_t positions = 0;     ///< learned ones, of the embedding

    auto operator<=>(const ParameterRule&) const = default;
};

/// A layer has one of its forms; the head has one norm more; positions are as many rows as a
/// sequence has tokens, or none. Nothing where no rule is exact, or several are. Of several with
/// the same ends a single one without positions counts.
std::optional<ParameterRule> FindParameterRule(const EndsEvidence& evidence);

/// Whether the optimizer updates no other matrix as large as the head's, beside it, those of the
/// layers and those that the first kernels multiply by. As the rule says. Without one: whether less
/// is left than half of another matrix, once these, and all norms and biases that layers can have,
/// are taken off.
bool HasSingleMatrix(const EndsEvidence& evidence);

/// Whether embedding and head share a matrix: there is a single one, and the first kernels multiply
/// by none of their own.
bool IsTied(const EndsEvidence& evidence);

/// A sentence that says which of both it is taken to be, with the numbers, and what else may be.
std::string NoteOfEnds(const EndsEvidence& evidence);

/// The tokens that the attention of the first layer looks at; 0: no kernel says so.
uint64_t FindSequence(const RecordedStage& stage);

} // namespace nadi
