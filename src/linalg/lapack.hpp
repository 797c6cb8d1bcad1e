// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cblas.h>

#include <cstddef>

/// The LAPACK routines this module calls. Fortran passes everything by address, and the length of
/// each character argument by value at the end of the list (the "hidden" arguments; size_t since
/// gfortran 8). Leaving those out works until a compiler relies on them.
extern "C" {

/// Eigenvalues, and eigenvectors with jobz = 'V', of a symmetric matrix by divide and conquer.
void dsyevd_(const char* jobz,
             const char* uplo,
             const blasint* n,
             double* a,
             const blasint* lda,
             double* w,
             double* work,
             const blasint* lwork,
             blasint* iwork,
             const blasint* liwork,
             blasint* info,
             std::size_t jobz_length,
             std::size_t uplo_length);

/// Cholesky factor of a positive definite matrix, in place.
void dpotrf_(const char* uplo,
             const blasint* n,
             double* a,
             const blasint* lda,
             blasint* info,
             std::size_t uplo_length);

/// The last nb columns of a symmetric matrix (uplo = 'U') to tridiagonal form, and in w what the
/// other columns are to be updated by.
void dlatrd_(const char* uplo,
             const blasint* n,
             const blasint* nb,
             double* a,
             const blasint* lda,
             double* e,
             double* tau,
             double* w,
             const blasint* ldw,
             std::size_t uplo_length);

/// A symmetric matrix to tridiagonal form.
void dsytrd_(const char* uplo,
             const blasint* n,
             double* a,
             const blasint* lda,
             double* d,
             double* e,
             double* tau,
             double* work,
             const blasint* lwork,
             blasint* info,
             std::size_t uplo_length);

/// Eigenvalues of a symmetric tridiagonal matrix, ascending.
void dsterf_(const blasint* n, double* d, double* e, blasint* info);

}  // extern "C"

namespace maxmargin {

/// LAPACK counts columns first, we rows first: our lower triangle is its upper one.
inline constexpr char lapack_our_lower = 'U';

}  // namespace maxmargin
