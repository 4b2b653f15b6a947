package io.strandline.load;

/** Whether a declaration that differs from the remembered one is accepted. */
enum Redeclaration {
  REFUSED,
  CONFIRMED
}
