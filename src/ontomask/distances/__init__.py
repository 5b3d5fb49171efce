"""How far apart two meanings are: the measures, information content, and whole tables of distances."""
